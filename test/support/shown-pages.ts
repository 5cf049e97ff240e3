// Pages of HTML with the texts that a browser shows of them.

import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../platform/knowledge/pages/', import.meta.url);

export interface ShownPage {
  key: string;
  html: string;
  text: string | undefined;
}

function textsOf(name: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
}

/** Pages that programs printed. */
export function printed(): ShownPage[] {
  const texts = textsOf('printed.json');
  const names = readdirSync(folder).filter((name) => name.endsWith('.html.txt'));
  return names.map((name) => {
    const key = name.slice(0, -'.txt'.length);
    return { key, html: readFileSync(new URL(name, folder), 'utf8'), text: texts[key] };
  });
}

/** Small pages, one for each rule. */
export function byHand(): ShownPage[] {
  return Object.entries(textsOf('by-hand.json')).map(([key, text]) => ({ key, html: `<!doctype html>${key}`, text }));
}
