// Escapes texts for terminals and for HTML.

// Control characters (C0, DEL, C1), invisible and bidi ones, separators of lines and paragraphs, halves of characters.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const named: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * The text on one line, with everything escaped that a terminal would obey or that would make it show something else.
 * The escapes are those of JSON: a JSON text stays valid and means the same.
 *
 * @example visible('a\u001b[31m') // 'a\\u001b[31m'
 */
export function visible(text: string): string {
  return text.replace(unsafe, (sign) => named[sign] ?? codesOf(sign));
}

/** The same for a text of several lines, which stay lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}

function codesOf(sign: string): string {
  let codes = '';
  for (let i = 0; i < sign.length; i++) codes += `\\u${sign.charCodeAt(i).toString(16).padStart(4, '0')}`;
  return codes;
}

/** The text with everything escaped that means something in HTML, in attributes too. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
