// The page of the reference: one of the two OpenAPI documents in Swagger UI, with try-it against this world.

import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { base, get, RequestError, worldId } from '../api.js';
import { theme, toggleTheme } from '../theme.js';
import { type OpenApiDocument, readable } from './document.js';
import { keepMended } from './mend.js';

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
  keepMended(element('viewer'));
  const { keys } = await get<{ keys: { apiKey: string; usable: boolean }[] }>('/keys');
  const key = keys.find(({ usable }) => usable)?.apiKey;
  const ui = SwaggerUI({
    domNode: element('viewer'),
    spec: readable(await readDocument(), location.origin + base),
    validatorUrl: null,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    displayOperationId: true,
    displayRequestDuration: true,
    filter: true,
    queryConfigEnabled: false,
    tryItOutEnabled: true,
    onComplete: () => element('message').remove(),
  });
  if (!isControl && key !== undefined) ui.preauthorizeApiKey('bearer', key);
}

async function readDocument(): Promise<OpenApiDocument> {
  if (isControl) return get('/openapi.json');
  const response = await fetch(`${base}/openapi.json`);
  if (!response.ok) throw new Error(`the emulator answered ${response.status} to GET /openapi.json`);
  return response.json();
}
