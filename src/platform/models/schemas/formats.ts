// The formats of strings, and texts that have them.

/**
 * Texts of a format, the plainest first; undefined for a format that is not known, which any text has.
 *
 * @param now what times show, in milliseconds
 */
export function textsOfFormat(format: string, now: number): string[] | undefined {
  if (Object.hasOwn(fixed, format)) return fixed[format];
  if (!/^(?:date-time|date|time)$/.test(format)) return undefined;
  const day = 86_400_000;
  const instants = Array.from({ length: 30 }, (_, index) => new Date(now + index * day).toISOString());
  const [first = ''] = instants;
  switch (format) {
    case 'date-time':
      return [
        ...instants,
        first.replace(/\.\d+Z/, 'Z'),
        first.replace(/:\d\d\.\d+Z/, 'Z'),
        first.replace('Z', '+00:00'),
        first.slice(0, -1),
      ];
    case 'time': {
      const times = Array.from({ length: 30 }, (_, index) => new Date(now + index * 61_000).toISOString().slice(11));
      return [...times, first.slice(11, 19), first.slice(11, 16), first.slice(11, -1), `${first.slice(11, 19)}Z`];
    }
    default:
      return instants.map((instant) => instant.slice(0, 10));
  }
}

const numbered = (count: number, text: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => text(n));
const end = (n: number): string => n.toString(16).padStart(12, '0');

const uris = [
  'https://example.com/',
  ...numbered(50, (n) => `https://example.com/${n + 2}`),
  'http://example.com/',
  'ftp://example.com/',
  'urn:example:1',
];

const fixed: Record<string, string[]> = {
  email: ['user@example.com', ...numbered(50, (n) => `user${n + 2}@example.com`), 'a@b.co', 'user@example.org'],
  'idn-email': ['user@example.com', 'user2@example.com'],
  uri: uris,
  url: uris,
  iri: uris,
  'uri-reference': uris,
  'iri-reference': uris,
  'uri-template': ['https://example.com/{id}', 'https://example.com/{name}'],
  hostname: ['example.com', ...numbered(50, (n) => `host${n + 2}.example.com`), 'a.co'],
  'idn-hostname': ['example.com', 'host2.example.com'],
  ipv4: numbered(100, (n) => `192.0.2.${n + 1}`),
  ipv6: numbered(100, (n) => `2001:db8::${(n + 1).toString(16)}`),
  cidrv4: numbered(50, (n) => `192.0.2.${n}/32`),
  cidrv6: numbered(50, (n) => `2001:db8::${n.toString(16)}/128`),
  uuid: [
    ...numbered(100, (n) => `00000000-0000-4000-8000-${end(n)}`),
    ...[1, 2, 3, 5, 6, 7, 8].map((version) => `00000000-0000-${version}000-8000-000000000000`),
  ],
  guid: numbered(50, (n) => `00000000-0000-4000-8000-${end(n)}`),
  duration: numbered(50, (n) => `PT${n + 1}H`),
  'json-pointer': ['/a', '/a/b', ''],
  'relative-json-pointer': ['0/a', '1/b'],
  regex: ['^a$', '^b$'],
  base64: ['dGV4dA==', 'dGV4dDI='],
  base64url: ['dGV4dA', 'dGV4dDI'],
  jwt: ['eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
  e164: numbered(50, (n) => `+1555010${String(n).padStart(4, '0')}`),
  byte: ['dGV4dA=='],
};
