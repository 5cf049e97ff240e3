// docs/scale/envoy.yaml against Envoy's published schema: no registry that the tests use has the program. Its routes are
// read as Envoy's documentation says: the first that matches, with RE2's own expressions.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RE2JS } from 're2js';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadProtos, problemsOf, protobufPackages } from '../support/protobuf-json.js';

const package_ = dirname(protobufPackages().resolve('@grpc/grpc-js-xds/package.json'));
const root = loadProtos(
  ['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map((name) => join(package_, 'deps', name)),
  [
    'envoy/config/bootstrap/v3/bootstrap.proto',
    'envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager.proto',
    'envoy/extensions/filters/http/router/v3/router.proto',
    'envoy/extensions/upstreams/http/v3/http_protocol_options.proto',
  ],
);
const text = readFileSync(new URL('../../docs/scale/envoy.yaml', import.meta.url), 'utf8');
const problems = (changed = text): string[] => problemsOf(root, 'envoy.config.bootstrap.v3.Bootstrap', parse(changed));

it('the configuration of Envoy conforms to Envoy’s published schema (the program is not run)', () => {
  expect(problems()).toEqual([]);
});

it('the configuration of Envoy would not conform with an unknown or missing field, or a wrong type, value or oneof', () => {
  const broken = (from: string, to: string): string => {
    expect(text).toContain(from);
    return problems(text.replace(from, to)).join();
  };
  expect(broken('hash_policy:', 'hash_policies:')).toContain(
    'hash_policies is unknown to .envoy.config.route.v3.RouteAction',
  );
  expect(broken('timeout: 0s', 'timeout: forever')).toContain('must be a duration');
  expect(broken('RING_HASH', 'RINGHASH')).toContain('must be one of');
  expect(broken('prefix: /', 'prefix: /\n                            path: /')).toContain('only one of them');
  expect(broken('      connect_timeout: 5s\n', '      connect_timeout: [5s]\n')).toContain('must be a duration');
  expect(broken('{ address: 127.0.0.1, port_value: 9901 }', '{ address: 127.0.0.1 }')).toContain(
    'needs a port_specifier',
  );
});

const manager = parse(text).static_resources.listeners[0].filter_chains[0].filters[0].typed_config;
const { routes } = manager.route_config.virtual_hosts[0];
const matches = (regex: string, value: string): boolean => RE2JS.compile(regex).matcher(value).matches();

interface Asked {
  path: string;
  host?: string;
  header?: string;
}

/** The part of a request that Envoy hashes. */
function hashed({ path, host = '127.0.0.1:8080', header }: Asked): string | undefined {
  const values: Record<string, string | undefined> = { ':path': path, ':authority': host, 'x-emulator-world': header };
  const [withoutQuery = ''] = path.split('?');
  const route = routes.find(({ match }: any) => {
    const fits =
      (match.path === undefined || match.path === withoutQuery) &&
      (match.prefix === undefined || path.startsWith(match.prefix)) &&
      (match.safe_regex === undefined || matches(match.safe_regex.regex, withoutQuery));
    const wanted = (match.headers ?? []) as { name: string; string_match: { safe_regex: { regex: string } } }[];
    return fits && wanted.every(({ name, string_match }) => matches(string_match.safe_regex.regex, values[name] ?? ''));
  });
  const [{ header: policy }] = route.route.hash_policy;
  const value = values[policy.header_name];
  if (policy.regex_rewrite === undefined) return value;
  const { pattern, substitution } = policy.regex_rewrite;
  return RE2JS.compile(pattern.regex)
    .matcher(value ?? '')
    .replaceAll(substitution.replace(/\\(\d)/g, '$$$1'));
}

it('the configuration of Envoy hashes the world that a request names, however it names it', () => {
  const host = 'blue.emulator.example';
  const scope = 'repository%3Aw%2Fblue%2Facme%2Fweb%3Apull%2Cpush';
  const blue: Asked[] = [
    { path: '/w/blue' },
    { path: '/w/blue/api/v1/containers?limit=1' },
    { path: '/w/blue?x=/w/red/' },
    { path: '/w/blue/_emulator/world', header: 'red', host: 'red.emulator.example' },
    { path: '/v2/w/blue/acme/web/blobs/uploads/', host },
    { path: `/v2/token?service=127.0.0.1&scope=${scope}` },
    { path: `/v2/token?scope=repository:w/blue/acme/web:pull&scope=${scope.replace('blue', 'red')}` },
    { path: '/api/v1/containers', header: 'blue' },
    { path: '/api/v1/containers', header: 'blue', host: 'red.emulator.example' },
    { path: '/v2/', host },
    { path: '/api/v1/containers?next=/w/red/', host: `${host}:8080` },
    { path: '/v2/token?service=127.0.0.1', host },
  ];
  expect(blue.map(hashed)).toEqual(blue.map(() => 'blue'));
  const none: Asked[] = [
    { path: '/' },
    { path: '/v2/' },
    { path: '/api/v1/containers', host: 'emulator.example' },
    { path: '/', header: '' },
  ];
  expect(none.map(hashed)).toEqual(none.map(() => 'default'));
});

it('the configuration of Envoy sends nothing twice, waits for streams, and keeps every process on the ring', () => {
  expect(text).not.toMatch(/retry_policy:|outlier_detection:/);
  expect(routes.map(({ route }: any) => route.timeout)).toEqual(routes.map(() => '0s'));
  expect([manager.stream_idle_timeout, manager.upgrade_configs]).toEqual(['0s', [{ upgrade_type: 'websocket' }]]);
  const [cluster] = parse(text).static_resources.clusters;
  expect(cluster.common_lb_config).toEqual({ healthy_panic_threshold: { value: 100 } });
});
