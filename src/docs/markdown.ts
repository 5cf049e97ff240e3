// Markdown of the reference pages: tables, tables of contents, and texts that show as they are written.

/** A text of a declaration: outside of code spans nothing in it is markup. */
export function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith('`') ? part : part.replace(/[\\<>*_[\]]/g, '\\$&').replace(/(\w)\\_(?=\w)/g, '$1_'),
    )
    .join('')
    .replace(/\s*\n\s*/g, ' ');
}

/** A name or a value, as code. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** A table; cells are Markdown, in which a `|` is escaped here. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `| ${head.map(() => '---').join(' | ')} |`, ...rows.map(line)].join('\n');
}

/** The anchor of a heading on its page, as GitHub and npm make it. */
export function anchorOf(heading: string): string {
  return heading
    .replace(/`/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Links to the headings of a page. */
export function contents(headings: readonly string[]): string {
  return headings.map((heading) => `[${heading}](#${anchorOf(heading)})`).join(' · ');
}

/** A page from its parts, with an empty line between them. */
export function page(title: string, ...parts: readonly string[]): string {
  const note = '<!-- Written by `npm run docs` from the declarations in src: edit those. -->';
  return `${[`# ${title}`, note, ...parts].filter((part) => part !== '').join('\n\n')}\n`;
}
