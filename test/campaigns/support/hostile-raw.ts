// Requests that no client library would send: bytes on a socket.

import { connect } from 'node:net';

const quietMs = 150;

/** The bytes that came back on a socket until it was closed, or until a while after the last ones. */
export function sendRaw(port: number, pieces: (string | Buffer)[], silent: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let quiet: NodeJS.Timeout | undefined;
    const done = (): void => {
      clearTimeout(quiet);
      socket.destroy();
      resolve(text);
    };
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      clearTimeout(quiet);
      quiet = setTimeout(done, quietMs);
    });
    socket.on('close', done);
    // A connection that the other side resets has still said what it said.
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNREFUSED' ? reject(error) : done()));
    for (const piece of pieces) socket.write(piece);
    // The answer may be long in coming on a busy machine.
    quiet = setTimeout(done, silent ? quietMs * 4 : 15_000);
  });
}

const post = (headers: string[], body: string | Buffer = ''): (string | Buffer)[] => [
  `${['POST /api/v1/api-keys HTTP/1.1', 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`,
  body,
];
const get = (path: string, ...headers: (string | Buffer)[]): Buffer =>
  Buffer.concat([
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n`),
    ...headers.flatMap((header) => [Buffer.from(header as string), Buffer.from('\r\n')]),
    Buffer.from('\r\n'),
  ]);

/** Conversations by name; `silent` ones are owed no answer, since they never finish asking. */
export function rawConversations(apiKey: string): [name: string, pieces: (string | Buffer)[], silent: boolean][] {
  const auth = `Authorization: Bearer ${apiKey}`;
  return [
    ['a Content-Length that is too small', post([auth, 'Content-Length: 2'], '{"name":"x"}'), false],
    ['a Content-Length that is too great', post([auth, 'Content-Length: 500'], '{"name":"x"}'), true],
    ['a negative Content-Length', post([auth, 'Content-Length: -1'], '{}'), false],
    ['two lengths', post([auth, 'Content-Length: 2', 'Content-Length: 3'], '{}x'), false],
    ['length and chunks', post([auth, 'Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n'), false],
    ['chunks that stop', post([auth, 'Transfer-Encoding: chunked'], '5\r\n{"nam'), true],
    ['a chunk size that is none', post([auth, 'Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'), false],
    ['a chunk of no end', post([auth, 'Transfer-Encoding: chunked'], 'FFFFFFFFFFFFFFFFF\r\n{'), false],
    ['chunks as they should be', post([auth, 'Transfer-Encoding: chunked'], 'c\r\n{"name":"x"}\r\n0\r\n\r\n'), false],
    ['gzip that is none', post([auth, 'Content-Encoding: gzip', 'Content-Length: 4'], 'abcd'), false],
    [
      'bytes in a header',
      [get('/api/v1/api-keys', Buffer.from([...Buffer.from('X-Api-Key: '), 0xff, 0x80, 0xc3]))],
      false,
    ],
    ['a NUL in a header', [get('/api/v1/api-keys', 'X-Api-Key: a\0b')], false],
    ['a header without a colon', [get('/api/v1/api-keys', 'nonsense')], false],
    ['a header of 100 KB', [get('/api/v1/api-keys', `Authorization: Bearer ${'x'.repeat(100_000)}`)], false],
    ['a thousand headers', [get('/api/v1/api-keys', ...Array.from({ length: 1_500 }, (_, i) => `X${i}: 1`))], false],
    [
      'bytes in the path',
      [Buffer.from([...Buffer.from('GET /api/'), 0xff, 0xfe, ...Buffer.from(' HTTP/1.1\r\nHost: x\r\n\r\n')])],
      false,
    ],
    ['an absolute path', [get('http://evil.example/api/v1/api-keys', auth)], false],
    ['an asterisk', ['OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n'], false],
    ['a tunnel', ['CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n'], true],
    ['an upgrade', [get('/api/v1/api-keys', auth, 'Connection: Upgrade', 'Upgrade: websocket')], false],
    ['an upgrade of the control plane', [get('/_emulator/clock', 'Connection: Upgrade', 'Upgrade: websocket')], false],
    ['no HTTP', ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'], false],
    ['HTTP of another kind', ['GET / HTTP/3.7\r\n\r\n'], false],
    ['HTTP/1.0 without a Host', [`GET /api/v1/api-keys HTTP/1.0\r\n${auth}\r\n\r\n`], false],
    ['no Host', ['GET /api/v1/api-keys HTTP/1.1\r\n\r\n'], false],
    ['many at once', Array.from({ length: 200 }, () => get('/api/v1/api-keys', auth)), false],
    ['nothing', [''], true],
  ];
}
