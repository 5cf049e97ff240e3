// The layout of the emulator's own pages: plain HTML without scripts, and the security headers.

import { escapeHtml } from '../../core/html.js';
import type { TextAnswer } from '../../http/response.js';
import type { World } from '../../world/world.js';

/** Safe HTML: only `html` creates it. */
export interface Html {
  readonly markup: string;
}

/** Markup in which every value is escaped, except markup itself and lists of it. */
export function html(parts: TemplateStringsArray, ...values: (string | number | Html | readonly Html[])[]): Html {
  const written = values.map((value) => {
    if (typeof value === 'object') return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
    return escapeHtml(String(value));
  });
  return { markup: parts.map((part, index) => part + (written[index] ?? '')).join('') };
}

export const nothing: Html = { markup: '' };

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 12vh auto; padding: 0 1rem; color: #1c1c1e; }
  h1 { font-size: 1.4rem; } p { margin: .75rem 0; } small, footer { color: #6b6b70; } footer { margin-top: 3rem; }
  button, a.button { font: inherit; display: block; width: 100%; box-sizing: border-box; text-align: left; margin: .4rem 0;
    padding: .6rem .9rem; border: 1px solid #c7c7cc; border-radius: .5rem; background: #fff; color: inherit; cursor: pointer; }
  a.button { text-decoration: none; }
  button:hover, button:focus-visible, a.button:hover, a.button:focus-visible { border-color: #0a66d6; outline: none; }
  @media (prefers-color-scheme: dark) {
    body { background: #1c1c1e; color: #f2f2f7; } button, a.button { background: #2c2c2e; border-color: #48484a; }
  }`;

/** A whole page. */
export function page(
  { config }: World,
  { title, content, status = 200, formsTo }: { title: string; content: Html; status?: number; formsTo?: string },
): TextAnswer {
  const platform = `${config.service.name} Cloud`;
  const { markup } = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · ${platform}</title>
<style>${{ markup: style }}</style></head>
<body><main><h1>${title}</h1>
${content}
</main><footer><small>${platform}, emulated by cloudemu on this machine. Nothing here is real.</small></footer></body>
</html>
`;
  return { kind: 'text', status, text: markup, type: 'text/html; charset=utf-8', headers: headersOf(formsTo) };
}

// A form's response may redirect, and browsers require that origin in the policy as well.
function headersOf(formsTo: string | undefined): Record<string, string> {
  const targets = ["'self'", ...(formsTo === undefined ? [] : [formsTo])].join(' ');
  return {
    'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'; form-action ${targets}; frame-ancestors 'none'; base-uri 'none'`,
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    // Without a referrer a form would send the origin `null`.
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
}

/** Redirects a browser to a GET. */
export function redirect(url: string, headers: Record<string, string> = {}): TextAnswer {
  const lead = { Location: url, 'Cache-Control': 'no-store', ...headers };
  return { kind: 'text', status: 303, text: `See ${url}\n`, type: 'text/plain; charset=utf-8', headers: lead };
}

/** Whether the client prefers an HTML page. */
export function wantsPage(accept: string | undefined): boolean {
  return accept?.includes('text/html') === true;
}
