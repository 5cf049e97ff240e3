// The header Accept: how much a client wants a media type (RFC 9110, 12.5.1).

interface Wanted {
  /** 0: not at all. */
  weight: number;
  /** Whether the header names the type itself. */
  isNamed: boolean;
}

function wanted(accept: string, type: string): Wanted {
  const ranges = [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*'];
  let nearest = ranges.length;
  let weight = 0;
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
    const at = ranges.indexOf(range);
    if (at === -1 || at >= nearest) continue;
    nearest = at;
    const q = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length) ?? 1);
    weight = Number.isNaN(q) ? 1 : q;
  }
  return { weight, isNamed: nearest === 0 };
}

/** Whether a client wants a page: it names HTML, and nothing makes JSON dearer to it. */
export function wantsPage(accept = ''): boolean {
  const page = wanted(accept, 'text/html');
  return page.isNamed && page.weight > 0 && page.weight >= wanted(accept, 'application/json').weight;
}

/** Whether a client wants plain text more than JSON. */
export function wantsText(accept = ''): boolean {
  const [text, json] = [wanted(accept, 'text/plain'), wanted(accept, 'application/json')];
  return (
    text.isNamed && text.weight > 0 && (text.weight > json.weight || (text.weight === json.weight && !json.isNamed))
  );
}
