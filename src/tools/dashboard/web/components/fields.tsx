// The fields of things that operations list: what each is called, and how its value is drawn, by its name.

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ControlledOrganization } from '../../../../platform/organizations/control.js';
import { useData } from '../live.js';
import { operationOf } from '../operation.js';
import { hrefOf } from '../route.js';
import { creditsText, durationText, instantText } from '../text.js';
import { Json } from './json.js';
import type { Column } from './list.js';
import { Ahead, Badge, Instant, KeyValues, Meter, Secret, Status, When } from './parts.js';

const titles: Record<string, string> = {
  apiKey: 'Value',
  baseUrl: 'Base URL',
  credits: 'Credits',
  email: 'E-mail',
  error: 'Error',
  failNth: 'Refused charge',
  hourly: 'An hour',
  nextTransitionAt: 'Next change',
  now: 'Virtual time',
  port: 'Port of its own',
  totalBilled: 'So far',
  ttl: 'Ends after',
  usageCount: 'Used',
  windowMs: 'Window',
  ttlMs: 'Ends without requests',
};

/** The name of a field for people: `createdAt` is "Created", `clock.frozen` is "Frozen". */
export function titleOf(path: string): string {
  const name = path.split('.').at(-1) ?? '';
  const words = name
    .replace(/(?<=.)(At|Id|_name)$/, '')
    .replace(/(?<=.)[A-Z_-]+/g, (mark) => ` ${mark.replace(/[_-]/g, '').toLowerCase()}`);
  return titles[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const isSecret = (name: string): boolean => /^(apiKey|token|cookie|privateKey)$/.test(name);
const isInstant = (name: string): boolean => /(At|^at|^now|^since|Until)$/.test(name);
/** What nothing means, where that is something. */
const nothing: Record<string, string> = { permissions: 'all', expiresAt: 'never', ttlMs: 'never' };

const organizations = signal<readonly ControlledOrganization[]>([]);

/** Keeps the names of organizations up to date. */
export function useOrganizations(): void {
  const { value } = useData<{ organizations: ControlledOrganization[] }>('/organizations', ['control', 'request']);
  useEffect(() => {
    if (value !== undefined) organizations.value = value.organizations;
  }, [value]);
}

/** The name of an organization by its id; the id itself where it is not known. */
export const organizationName = (id: string): string => organizations.value.find((one) => one.id === id)?.name ?? id;

/** A link to something, by the name of the field that holds its id. */
const places: Record<string, (id: string) => string> = {
  organizationId: (id) => hrefOf({ view: 'accounts', item: `organizations/${id}` }),
  agentId: (id) => hrefOf({ view: 'hosted-agents', item: `agents/${id}` }),
  requestId: (id) => hrefOf({ view: 'timeline', filter: id }),
  lastRequestId: (id) => hrefOf({ view: 'timeline', filter: id }),
  subject: (id) => hrefOf({ view: 'timeline', filter: id }),
};

interface ValueProps {
  name: string;
  value: unknown;
  isCell?: boolean;
}

/** The value of a field; `isCell`: in the column of a list. */
export function Value({ name, value, isCell = false }: ValueProps): ComponentChildren {
  if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
    return <span class="faint">{nothing[name] ?? '–'}</span>;
  if (typeof value === 'boolean') return <Badge tone={value ? 'good' : 'neutral'}>{value ? 'yes' : 'no'}</Badge>;
  if (typeof value === 'number') {
    if (name === 'progress') return <Meter label="Progress" value={value} max={100} tone="good" />;
    if (name.endsWith('Ms')) return <>{durationText(value)}</>;
    return <>{/credits|hourly|totalBilled|amount|balance/i.test(name) ? creditsText(value) : value}</>;
  }
  if (Array.isArray(value))
    return <>{value.map((one) => (typeof one === 'object' ? JSON.stringify(one) : one)).join(', ')}</>;
  if (typeof value === 'object')
    return isCell ? <code class="faint">{JSON.stringify(value)}</code> : <Json value={value} />;
  const text = String(value);
  if (name === 'nextTransitionAt' && isCell) return <Ahead at={text} />;
  if (isInstant(name)) return isCell ? <When at={text} /> : <Instant at={text} />;
  if (isSecret(name)) return <Secret value={text} label={`the ${titleOf(name).toLowerCase()}`} />;
  if (/^(status|state|verdict)$/.test(name)) return <Status of={text} />;
  if (/^(error|problem)$/.test(name)) return <span class="bad">{text}</span>;
  const href = places[name]?.(text);
  if (href !== undefined && !isCell)
    return <a href={href}>{name === 'organizationId' ? organizationName(text) : text}</a>;
  if (name === 'organizationId') return <>{organizationName(text)}</>;
  return /(^id|Id|address|setting|slug|operation|uri|Url|file)$/.test(name) ? <code>{text}</code> : text;
}

function widthOf(name: string): string {
  if (/^(status|state)$/.test(name)) return '8rem';
  if (name === 'nextTransitionAt') return '7rem';
  if (isInstant(name)) return '8.5rem';
  if (
    /^(usable|ready|active|frozen|times|index|hits|requests|limit|windowMs|usageCount|hourly|role|plan|port)$/.test(
      name,
    )
  )
    return '5.5rem';
  return /^(id|address|image|error|reason|permissions|baseUrl)$/.test(name) ? 'minmax(0, 3fr)' : 'minmax(0, 2fr)';
}

/** Columns by the names of fields: `status:11rem` says how wide it is, `error?` is left out where there is little room. */
export function columnsOf<Row extends object>(names: string): Column<Row>[] {
  return names.split(' ').map((part, index) => {
    const [, name = '', width = widthOf(name), minor] = /^(\w+)(?::(\w+))?(\?)?$/.exec(part) ?? [];
    return {
      title: titleOf(name),
      width,
      ...(minor !== undefined && { minor: true as const }),
      cell: (row: Row): ComponentChildren => {
        const value = <Value name={name} value={row[name as keyof Row]} isCell />;
        return index === 0 ? <strong>{value}</strong> : value;
      },
    };
  });
}

/** The columns that an operation declares for its command: without secrets, and without ids where there are names. */
export function declaredColumns(operation: string): string {
  const names = (operationOf(operation).columns ?? '').split(' ').filter((part) => !isSecret(part.replace('?', '')));
  return names.filter((part) => part !== 'id' || !names.includes('name')).join(' ');
}

/** All fields of a thing; `known` are those that a view draws itself, or leaves out. */
export function Facts({ of, known = {} }: { of: object; known?: Record<string, ComponentChildren> }) {
  return (
    <KeyValues
      entries={Object.entries({ ...of, ...known }).map(([name, value]) => {
        if (name in known) return [titleOf(name), known[name]];
        const isNothing = (value === null || String(value) === '') && nothing[name] === undefined;
        return [titleOf(name), isNothing ? null : <Value key={name} name={name} value={value} />];
      })}
    />
  );
}

/** The day and time of an instant, or a dash. */
export const instantOr = (at: string | null): string => (at === null ? '–' : instantText(at));
