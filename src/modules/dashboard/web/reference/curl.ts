// The curl that the reference shows of a request: with the key from the environment, where a shell fills it in.

import { shellQuoted } from '../text.js';

interface ImmutableMap {
  get(name: string): unknown;
  entrySeq?(): { toArray(): [string, unknown][] };
}

interface System {
  React: { createElement(type: string, props: object | null, ...children: unknown[]): unknown };
}

/** The variable that replaces the key, in the page and in a shell. */
export const keyVariable = '$CLOUD_API_KEY';

/** Shows curl in the place of Swagger UI's, which puts everything into single quotes. */
export const curlPlugin = () => ({
  wrapComponents: {
    curl:
      (_: unknown, { React }: System) =>
      ({ request }: { request: ImmutableMap }) => {
        const text = curlOf(request);
        return React.createElement(
          'div',
          { className: 'curl-command' },
          React.createElement('h4', null, 'Curl'),
          React.createElement(
            'div',
            { className: 'copy-to-clipboard' },
            React.createElement('button', {
              title: 'Copy',
              onClick: () => void navigator.clipboard?.writeText(text),
            }),
          ),
          React.createElement('pre', { className: 'curl microlight' }, text),
        );
      },
  },
});

/** A request of Swagger UI for a shell. */
function curlOf(request: ImmutableMap): string {
  const headers = entriesOf(request.get('headers')).map(([name, value]) => `-H ${quoted(`${name}: ${String(value)}`)}`);
  const body = request.get('body');
  return [
    `curl -X ${String(request.get('method'))} ${shellQuoted(String(request.get('url')))}`,
    ...headers,
    ...bodyOf(body),
  ].join(' \\\n  ');
}

function bodyOf(body: unknown): string[] {
  if (body === undefined || body === null || body === '') return [];
  if (typeof body === 'string') return [`--data ${shellQuoted(body)}`];
  return entriesOf(body).map(([name, value]) => {
    const isFile = value instanceof Blob;
    return `-F ${shellQuoted(`${name}=${isFile ? `@${(value as File).name}` : String(value)}`)}`;
  });
}

const quoted = (text: string): string =>
  text.endsWith(keyVariable)
    ? `"${text.slice(0, -keyVariable.length).replace(/["\\$`]/g, '\\$&')}${keyVariable}"`
    : shellQuoted(text);

function entriesOf(map: unknown): [string, unknown][] {
  return (map as ImmutableMap | undefined)?.entrySeq?.().toArray() ?? [];
}
