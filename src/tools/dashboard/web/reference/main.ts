// The page of the reference: one of the two OpenAPI documents in Swagger UI, with try-it against this world.

import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { base, get, RequestError, worldId } from '../api.js';
import { theme, toggleTheme } from '../theme.js';

const isControl = new URLSearchParams(location.search).get('document') === 'control';
const element = <Kind extends HTMLElement>(id: string): Kind => document.getElementById(id) as Kind;

const showTheme = (): boolean => document.documentElement.classList.toggle('dark-mode', theme() === 'dark');
showTheme();
element('theme').addEventListener('click', () => {
  toggleTheme();
  showTheme();
});
element(isControl ? 'control' : 'platform').setAttribute('aria-current', 'page');
document.title = `Reference · ${worldId === 'default' ? '' : `${worldId} · `}cloudemu`;

try {
  await show();
} catch (error) {
  const isLocked = error instanceof RequestError && error.status === 401;
  element('message').textContent = isLocked
    ? 'From another machine the control plane needs its token: give it to the dashboard, then come back.'
    : `The reference cannot be shown: ${(error as Error).message}`;
}

async function show(): Promise<void> {
  new MutationObserver(mend).observe(element('viewer'), { childList: true, subtree: true });
  const { keys } = await get<{ keys: { apiKey: string; usable: boolean }[] }>('/keys');
  // That of the platform lies beside the control plane.
  const document = await get<object>(isControl ? '/openapi.json' : '/../openapi.json');
  const key = keys.find(({ usable }) => usable)?.apiKey;
  const ui = SwaggerUI({
    domNode: element('viewer'),
    // Requests go to the world of this page.
    spec: { ...document, servers: [{ url: location.origin + base }] },
    validatorUrl: null,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    displayOperationId: true,
    displayRequestDuration: true,
    filter: true,
    queryConfigEnabled: false,
    // What an operation takes and costs: permission, limits, price, assumptions.
    showExtensions: true,
    tryItOutEnabled: true,
    onComplete: () => element('message').remove(),
  });
  if (!isControl && key !== undefined) ui.preauthorizeApiKey('bearer', key);
}

// What the viewer lacks for the keyboard and for screen readers.
function mend(): void {
  const root = element('viewer');
  const name = (selector: string, attribute: string, value: string): void => {
    for (const part of root.querySelectorAll(`${selector}:not([${attribute}])`)) part.setAttribute(attribute, value);
  };
  const regions = { '.information-container': 'About', '.scheme-container': 'Credentials', '.filter': 'Filter' };
  for (const [selector, label] of Object.entries(regions)) {
    name(selector, 'role', 'region');
    name(selector, 'aria-label', label);
  }
  // No heading is of the second level.
  for (const level of [3, 4, 5]) name(`h${level}`, 'aria-level', String(level - 1));
  for (const { id } of root.querySelectorAll('table[role=region]'))
    name(`#${id}`, 'aria-label', id.replaceAll('_', ' '));
  name('#servers', 'aria-label', 'Server');
  name('textarea', 'aria-label', 'Body');
  // Regions that scroll are reached by Tab.
  name('pre', 'tabindex', '0');
  // The heading of an operation is a button; the link inside it would be a second stop, for the same act.
  for (const link of root.querySelectorAll('.opblock-summary-control a[href]')) link.removeAttribute('href');
}
