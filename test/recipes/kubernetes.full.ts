// docs/scale/kubernetes.yaml against the published schemas of Kubernetes and of its Gateway API; fields that they do not
// know are refused, as the API server does it with strict validation.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { installed, requireFrom } from '../support/installed.js';

const require = requireFrom(
  installed('kubernetes-models@4.3.1', '@kubernetes-models/gateway-api@0.5.1', '@kubernetes-models/validate@3.1.2'),
);

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: any;
}

const text = readFileSync(new URL('../../docs/scale/kubernetes.yaml', import.meta.url), 'utf8');
const manifests = (): Manifest[] => parseAllDocuments(text).map((document) => document.toJS());

// The published schemas allow unknown fields, because servers of other versions may know them.
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([name, value]) => [name, closed(value)]);
  const all = Object.fromEntries(entries);
  const isObject = typeof all.properties === 'object' && (all.type === 'object' || all.type?.includes?.('object'));
  return isObject && all.additionalProperties === undefined ? { ...all, additionalProperties: false } : all;
}

const validation = require('@kubernetes-models/validate');
const { register } = validation;
validation.register = (id: string, schema: unknown): void => register(id, closed(schema));

/** The problems that the schema of its kind finds in a manifest. */
function problemOf(manifest: Manifest): string | undefined {
  const { apiVersion, kind } = manifest;
  const from = apiVersion.startsWith('gateway.') ? '@kubernetes-models/gateway-api' : 'kubernetes-models';
  const Model = require(`${from}/${apiVersion}`)[kind];
  if (Model === undefined) return `there is no ${apiVersion} ${kind}`;
  try {
    new Model(manifest).validate();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

it('the configuration of Kubernetes conforms to the published schemas', () => {
  const all = manifests();
  expect(all.map((manifest) => [manifest.kind, problemOf(manifest)])).toEqual(all.map(({ kind }) => [kind, undefined]));
  const kinds = ['StatefulSet', 'PodDisruptionBudget', 'Gateway', 'HTTPRoute', 'Service', 'Deployment'];
  expect([...new Set(all.map(({ kind }) => kind))].sort()).toEqual(kinds.sort());
});

it('the configuration of Kubernetes would not conform with a wrong type, an unknown field or a missing one', () => {
  const broken = (kind: string, change: (spec: any) => void): string | undefined => {
    const manifest = manifests().find((one) => one.kind === kind) as Manifest;
    change(manifest.spec);
    return problemOf(manifest);
  };
  expect(broken('StatefulSet', (spec) => (spec.replicas = 'three'))).toContain('integer');
  expect(broken('StatefulSet', (spec) => (spec.template.spec.containers[0].volumeMount = []))).toContain('additional');
  expect(broken('HTTPRoute', (spec) => (spec.rules[0].timeouts.request = 'for ever'))).toContain('pattern');
  expect(broken('Gateway', (spec) => delete spec.gatewayClassName)).toContain('gatewayClassName');
});

it('the configuration of Kubernetes refers only to objects that it contains', () => {
  const all = manifests();
  const names = (kind: string): string[] => all.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
  const find = (kind: string): any => all.find((one) => one.kind === kind)?.spec;
  expect(names('Service')).toContain(find('StatefulSet').serviceName);
  const [container] = find('StatefulSet').template.spec.containers;
  const claims = find('StatefulSet').volumeClaimTemplates.map(({ metadata }: Manifest) => metadata.name);
  expect(container.volumeMounts.map(({ name }: { name: string }) => name)).toEqual(claims);
  expect(names('Service')).toContain(find('HTTPRoute').rules[0].backendRefs[0].name);
  expect(names('Gateway')).toContain(find('HTTPRoute').parentRefs[0].name);
  expect(find('PodDisruptionBudget').selector).toEqual(find('StatefulSet').selector);
});
