// Finding a text in another one, in time that is linear in both, whatever they are.

// The engine's own search is linear enough for so many characters; for longer texts, one that nearly matches everywhere
// would take as many steps as both lengths multiplied.
const short = 16;

/** The place where a text begins in another one, or -1. */
export function indexOfText(text: string, wanted: string): number {
  if (wanted.length <= short) return text.indexOf(wanted);
  if (wanted.length > text.length) return -1;
  // Knuth, Morris and Pratt: what was matched says how much of it may still be the beginning of a match.
  const shorter = beginnings(wanted);
  for (let at = 0, matched = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== character) matched = shorter[matched] ?? 0;
    if (wanted.charCodeAt(matched) === character) matched++;
    if (matched === wanted.length) return at - matched + 1;
  }
  return -1;
}

// For each length of a beginning of a text: the longest shorter beginning with which it ends.
function beginnings(text: string): Int32Array {
  const lengths = new Int32Array(text.length + 1);
  for (let at = 1, length = 0; at < text.length; at++) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = lengths[length] ?? 0;
    if (text.charCodeAt(at) === text.charCodeAt(length)) length++;
    lengths[at + 1] = length;
  }
  return lengths;
}
