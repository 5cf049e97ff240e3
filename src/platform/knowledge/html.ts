// The text of HTML pages, as a browser shows them (`innerText`).

import type { Tokenizer } from 'htmlparser2';

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Elements that begin a new line, and end it. */
const blocks = set(
  'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav ol optgroup option p plaintext pre search section ' +
    'summary table ul xmp',
);
/** Elements of which nothing is shown. */
const unshown = set(
  'script style template title noscript datalist iframe noembed noframes video audio canvas textarea meter progress rp defs desc ' +
    'metadata',
);
const empty = set('area base br col embed hr img input link meta param source track wbr');
/** Elements whose white space is shown, but for the end of a line right after the tags of two of them. */
const kept = set('pre listing xmp plaintext');
const beginsLine = set('pre listing');
const cells = set('td th');

/** What the beginning of an element ends, and what is around it that keeps it from doing so. */
const ends: Record<string, [ended: ReadonlySet<string>, within: ReadonlySet<string>]> = {
  li: [set('li'), set('ul ol menu dir table td th')],
  dt: [set('dt dd'), set('dl table td th')],
  dd: [set('dt dd'), set('dl table td th')],
  option: [set('option'), set('select optgroup datalist')],
  optgroup: [set('option optgroup'), set('select')],
  rt: [set('rp rt'), set('ruby')],
  rp: [set('rp rt'), set('ruby')],
};
/** In a table, the beginning of a part ends everything up to what it is a part of. */
const partOf: Record<string, ReadonlySet<string>> = {
  caption: set('table'),
  thead: set('table'),
  tbody: set('table'),
  tfoot: set('table'),
  tr: set('table thead tbody tfoot'),
  td: set('table thead tbody tfoot tr'),
  th: set('table thead tbody tfoot tr'),
};
const tables = set('table');
/** Tags end nothing that is outside of these, but for the tags of a table's parts. */
const bounds = set('table td th caption button object');
/** Most blocks end a paragraph. */
const paragraph = set('p');
const inParagraphs = set('option optgroup legend body caption');
/** Elements that are no blocks, and still keep others from ending what is around them. */
const noted = set('select button object ruby rt rp thead tbody tfoot tr td th');

/** An element that was begun: blocks, what has a rule of its own, and everything in what is not shown. */
interface Open {
  name: string;
  /** Whether it is shown, and what is in it: of folded details only their summary is. */
  isShown: boolean;
  showsContent: boolean;
  isKept: boolean;
  /** Of a table: the number of rows, and of cells in the last one. */
  rows: number;
  cells: number;
  /** Whether a summary that is shown may still come. */
  isFolded: boolean;
}

/** Browsers nest no deeper than 512: what is deeper is read as its neighbour, so that no tag looks through more. */
const deepest = 256;

/**
 * The text of an HTML page, in one pass whatever it holds.
 *
 * @param library htmlparser2, whose tokenizer follows the standard; its parser would take seconds for unclosed tags
 */
export function pageText(html: string, library: { Tokenizer: typeof Tokenizer }): string {
  const text = html.replace(/\r\n?/g, '\n');
  const shown = createShownText();
  const tokenizer = new library.Tokenizer({}, createReader(text, shown));
  tokenizer.write(text);
  tokenizer.end();
  return shown.result();
}

interface Tag {
  name: string;
  attribute: string;
  isHidden: boolean;
  isOpen: boolean;
  style: string;
}

type Reader = ConstructorParameters<typeof Tokenizer>[1];

function createReader(html: string, shown: ShownText): Reader {
  const page = createPage(shown);
  let tag: Tag = { name: '', attribute: '', isHidden: false, isOpen: false, style: '' };
  const nameAt = (start: number, end: number): string => html.slice(start, Math.min(end, start + 40)).toLowerCase();
  const nothing = (): void => {};
  const begin = (): void => page.begin(tag);
  return {
    ontext: (start, end) => page.text(html.slice(start, end)),
    ontextentity: (code) => page.text(String.fromCodePoint(code)),
    onopentagname(start, end) {
      tag = { name: nameAt(start, end), attribute: '', isHidden: false, isOpen: false, style: '' };
    },
    onattribname(start, end) {
      tag.attribute = nameAt(start, end);
      if (tag.attribute === 'hidden') tag.isHidden = true;
      if (tag.attribute === 'open') tag.isOpen = true;
    },
    onattribdata(start, end) {
      if (tag.attribute === 'style' && tag.style.length < longestStyle) tag.style += html.slice(start, end);
    },
    onattribentity: nothing,
    onattribend: nothing,
    onopentagend: begin,
    onselfclosingtag: begin,
    onclosetag: (start, end) => page.end(nameAt(start, end)),
    oncdata: nothing,
    oncomment: nothing,
    ondeclaration: nothing,
    onprocessinginstruction: nothing,
    onend: nothing,
  };
}

const longestStyle = 2_000;
const hiding = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))/i;
const keeping = /(?:^|[;\s])white-space\s*:\s*(?:pre|break-spaces)/i;

interface Page {
  begin(tag: Tag): void;
  end(name: string): void;
  text(text: string): void;
}

function createPage(shown: ShownText): Page {
  const root: Open = openedAs('', true);
  const stack: Open[] = [];
  let top = root;
  /** How many elements of a name are open: most that a tag would look for are not. */
  const counts = new Map<string, number>();
  let isLineBegun = false;

  function breaks(name: string): void {
    if (blocks.has(name)) shown.breaks(name === 'p' ? 2 : 1);
  }

  function count(name: string, more: number): void {
    counts.set(name, (counts.get(name) ?? 0) + more);
  }

  function isOpen(names: ReadonlySet<string>): boolean {
    for (const name of names) if ((counts.get(name) ?? 0) > 0) return true;
    return false;
  }

  function find(names: ReadonlySet<string>, within?: ReadonlySet<string>): number {
    if (!isOpen(names)) return -1;
    for (let i = stack.length - 1; i >= 0; i--) {
      const name = stack[i]?.name ?? '';
      if (names.has(name)) return i;
      if (within?.has(name) === true) return -1;
    }
    return -1;
  }

  // Ends elements until so many are left; of -1 none.
  function endTo(left: number): void {
    while (left >= 0 && stack.length > left) {
      const { name, isShown } = top;
      stack.pop();
      count(name, -1);
      top = stack.at(-1) ?? root;
      if (isShown) breaks(name);
    }
  }

  function endBefore(name: string): void {
    if (blocks.has(name) && !inParagraphs.has(name)) endTo(find(paragraph, bounds));
    const [ended, within] = ends[name] ?? [];
    if (ended !== undefined) endTo(find(ended, within));
    const whole = partOf[name];
    const place = whole === undefined ? -1 : find(whole);
    if (place !== -1) endTo(place + 1);
  }

  // Ends of lines are between rows, and tabs between cells.
  function beginInTable(name: string): void {
    const table = stack[find(tables)];
    if (table === undefined) return;
    if (name === 'tr') {
      if (table.rows++ > 0) shown.literal('\n');
      table.cells = 0;
    } else if (table.cells++ > 0) shown.literal('\t');
  }

  return {
    begin(tag) {
      const { name } = tag;
      isLineBegun = beginsLine.has(name);
      if (!empty.has(name) || name === 'hr') endBefore(name);
      const isSummary = name === 'summary' && top.isFolded;
      if (isSummary) top.isFolded = false;
      const isShown = (top.showsContent || isSummary) && !isHidden(tag);
      if (isShown) {
        breaks(name);
        if (name === 'br') shown.literal('\n');
        if (name === 'tr' || cells.has(name)) beginInTable(name);
      }
      const isKept = top.isKept || kept.has(name) || keeping.test(tag.style);
      const isNoted = !isShown || isKept !== top.isKept || blocks.has(name) || noted.has(name);
      if (empty.has(name) || !isNoted || stack.length >= deepest) return;
      top = { ...openedAs(name, isShown), isKept };
      if (name === 'details' && !tag.isOpen) {
        top.showsContent = false;
        top.isFolded = isShown;
      }
      stack.push(top);
      count(name, 1);
    },
    end(name) {
      isLineBegun = false;
      if (name === 'br' && top.showsContent) shown.literal('\n');
      const index = find(new Set([name]), partOf[name] === undefined && name !== 'table' ? bounds : tables);
      if (index !== -1) endTo(index);
      else if (name === 'p' && top.showsContent) shown.breaks(2);
    },
    text(text) {
      const isFirst = isLineBegun;
      isLineBegun = false;
      if (top.showsContent) shown.text(isFirst && text.startsWith('\n') ? text.slice(1) : text, top.isKept);
    },
  };
}

function openedAs(name: string, isShown: boolean): Open {
  return { name, isShown, showsContent: isShown, isKept: false, rows: 0, cells: 0, isFolded: false };
}

function isHidden({ name, isHidden, isOpen, style }: Tag): boolean {
  return isHidden || unshown.has(name) || hiding.test(style) || (name === 'dialog' && !isOpen);
}

// Puts together what a page shows, as `innerText` does: white space is collapsed as lines are laid out, and what begins or ends
// a block begins a new line.

interface ShownText {
  /** @param isKept whether white space is shown as it is */
  text(text: string, isKept: boolean): void;
  /** The end of a line, or the space between two cells. */
  literal(text: string): void;
  /** At least so many ends of lines before what comes next, if something came before. */
  breaks(count: number): void;
  result(): string;
}

function createShownText(): ShownText {
  const parts: string[] = [];
  let breaks = 0;
  let space = '';
  let isLineStart = true;

  function append(text: string): void {
    if (breaks > 0 && parts.length > 0) parts.push('\n'.repeat(breaks));
    breaks = 0;
    parts.push(text);
  }

  return {
    text(text, isKept) {
      if (text === '') return;
      if (isKept) {
        append(space + text);
        space = '';
        isLineStart = text.endsWith('\n');
        return;
      }
      const collapsed = text.replace(/[ \t\n\f]+/g, ' ');
      if (collapsed.startsWith(' ') && !isLineStart) space = ' ';
      const shown = collapsed.slice(collapsed.startsWith(' ') ? 1 : 0, collapsed.endsWith(' ') ? -1 : undefined);
      if (shown === '') return;
      append(space + shown);
      space = collapsed.endsWith(' ') ? ' ' : '';
      isLineStart = false;
    },
    literal(text) {
      append(text);
      space = '';
      isLineStart = true;
    },
    breaks(count) {
      breaks = Math.max(breaks, count);
      space = '';
      isLineStart = true;
    },
    // A space that keeps a line together is a space to those who search.
    result: () => parts.join('').replaceAll('\u00a0', ' '),
  };
}
