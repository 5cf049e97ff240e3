// Finding many texts in a long one in one pass: in time that is linear in both, however many there are (Aho and Corasick).

/** A beginning of one or several of the texts. */
interface Beginning {
  next: Map<number, Beginning>;
  /** The longest other beginning with which this one ends. */
  shorter: Beginning | undefined;
  /** The place in the list of the text that is this whole beginning. */
  place: number | undefined;
  /** The longest beginning with which this one ends and that is a whole text: often itself. */
  whole: Beginning | undefined;
}

/**
 * Prepares the search for texts, all different and none of them empty.
 *
 * @returns a function that says which of them a text contains, by their places in the list
 * @example const findWords = textsFinder(['red', 'green']); findWords('a green door') // Set { 1 }
 */
export function textsFinder(wanted: readonly string[]): (text: string) => ReadonlySet<number> {
  const root = beginning();
  for (const [place, text] of wanted.entries()) {
    let at = root;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const next = at.next.get(code) ?? beginning();
      at.next.set(code, next);
      at = next;
    }
    at.place = place;
  }
  link(root);
  return (text) => {
    const found = new Set<number>();
    let at = root;
    for (let i = 0; i < text.length && found.size < wanted.length; i++) {
      at = after(at, text.charCodeAt(i)) ?? root;
      // Whatever ends with a text that was found before was found then, too.
      for (let end = at.whole; end?.place !== undefined && !found.has(end.place); end = end.shorter?.whole)
        found.add(end.place);
    }
    return found;
  };
}

function beginning(): Beginning {
  return { next: new Map(), shorter: undefined, place: undefined, whole: undefined };
}

// Shorter beginnings are linked before longer ones.
function link(root: Beginning): void {
  const queue = [root];
  for (const one of queue) {
    one.whole = one.place === undefined ? one.shorter?.whole : one;
    for (const [code, next] of one.next) {
      next.shorter = (one.shorter && after(one.shorter, code)) ?? root;
      queue.push(next);
    }
  }
}

// The longest beginning with which what was read ends, once another character is read.
function after(at: Beginning, code: number): Beginning | undefined {
  for (let from: Beginning | undefined = at; from !== undefined; from = from.shorter) {
    const next = from.next.get(code);
    if (next !== undefined) return next;
  }
  return undefined;
}
