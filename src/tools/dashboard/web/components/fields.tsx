// The fields of things that operations list: what each is called, and how its value is drawn, by its name.

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ControlledOrganization } from '../../../../platform/organizations/control.js';
import { operationOf, useData } from '../emulator.js';
import { hrefOf } from '../page.js';
import { creditsText, durationText, signedText } from '../text.js';
import { Ahead, Badge, Instant, InTimeline, Json, KeyValues, Meter, Secret, Status, Two, When } from './parts.js';

const titles: Record<string, string> = {
  apiKey: 'Value',
  balanceAfter: 'Balance',
  baseUrl: 'Base URL',
  chunkSize: 'Tokens per chunk',
  count: '',
  durationMs: 'Took',
  email: 'E-mail',
  errorCode: 'Error',
  failNth: 'Refused charge',
  firstDelay: 'Before the first chunk',
  hourly: 'An hour',
  match: 'Requests',
  nextTransitionAt: 'Next change',
  now: 'Virtual time',
  port: 'Port of its own',
  resetsAt: 'Ends',
  retryAfter: 'Retry-After in seconds',
  stallAfter: 'Stall after chunks',
  summary: 'Why',
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
const organizationName = (id: string): string => organizations.value.find((one) => one.id === id)?.name ?? id;

/** Fields of ids whose place is the timeline. */
const inTimeline = /^(requestId|lastRequestId|subject)$/;

/** The tabs of things: by the names of fields that hold their ids, by the kinds of the timeline, by what begins their operations. */
const places: Partial<Record<string, string>> = {
  organizationId: 'accounts/organizations',
  container: 'containers',
  containers: 'containers',
  agentId: 'hosted-agents/agents',
  agent: 'hosted-agents/agents',
  hostedAgents: 'hosted-agents/agents',
  job: 'hosted-agents/jobs',
  jobs: 'hosted-agents/jobs',
};

/** An id as a link to where the page shows it, if it does. */
export function Subject({ kind, id, children = id }: { kind: string; id: string; children?: ComponentChildren }) {
  if (inTimeline.test(kind)) return <InTimeline of={id}>{children}</InTimeline>;
  const [view, ...tab] = places[kind]?.split('/') ?? [];
  if (view === undefined) return <code>{children}</code>;
  return <a href={hrefOf({ view, item: [...tab, id].join('/') })}>{children}</a>;
}

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
    if (name === 'at') return <When at={value} />;
    if (name.endsWith('Ms')) return <>{durationText(value)}</>;
    if (name === 'amount') return <span class={value > 0 ? 'good' : ''}>{signedText(value)}</span>;
    return <>{/credits|hourly|totalBilled|amount|balance/i.test(name) ? creditsText(value) : value}</>;
  }
  if (Array.isArray(value))
    return <>{value.map((one) => (typeof one === 'object' ? JSON.stringify(one) : one)).join(', ')}</>;
  if (typeof value === 'object')
    return isCell ? <code class="faint">{JSON.stringify(value)}</code> : <Json value={value} />;
  const text = String(value);
  if (isCell && /^(nextTransitionAt|resetsAt)$/.test(name)) return <Ahead at={text} />;
  if (isInstant(name)) return isCell ? <When at={text} /> : <Instant at={text} />;
  if (isSecret(name)) return <Secret value={text} label={`the ${titleOf(name).toLowerCase()}`} />;
  if (/^(status|state|verdict)$/.test(name)) return <Status of={text} />;
  if (/^(error|problem)$/.test(name)) return <span class="bad">{text}</span>;
  const known = name === 'organizationId' ? organizationName(text) : text;
  if (!isCell && (name in places || inTimeline.test(name)))
    return (
      <Subject kind={name} id={text}>
        {known}
      </Subject>
    );
  if (known !== text) return <>{known}</>;
  if (name === 'type') return <Badge>{text}</Badge>;
  return /(^id|Id|address|setting|slug|operation|uri|Url|file)$/.test(name) ? <code>{text}</code> : text;
}

/** From this width on, in px, a list has room for its minor columns. */
const amplePx = 700;

export interface Column<Row> {
  /** The column's heading. */
  title: string;
  /** A CSS track: '8rem', '1fr', 'minmax(8rem, 2fr)'. */
  width: string;
  /** Its track in a list as slim as a telephone. */
  narrow?: string;
  /** The content of a cell; `width` is that of the whole list, in px. */
  cell: (row: Row, width: number) => ComponentChildren;
  /** Left out in a list that is not as wide, in px. */
  minor?: number;
  /** Numbers are easier to compare at the right. */
  align?: 'end';
}

const widths: readonly (readonly [RegExp, string])[] = [
  [/^(status|state|verdict|at|amount|balanceAfter)$/, '8.5rem'],
  [/^(nextTransitionAt|resetsAt|type)$/, '7.5rem'],
  [/(At|^now|^since|Until)$/, '8.5rem'],
  [
    /^(usable|ready|active|frozen|times|index|hits|requests|limit|windowMs|durationMs|usageCount|hourly|role|plan|port|grade|phase|source|evidence)$/,
    '5.5rem',
  ],
  [/^(id|address|image|error|reason|permissions|baseUrl)$/, 'minmax(0, 3fr)'],
];

/** Numbers are easier to compare at the right. */
const isNumber = (name: string): boolean => /^(amount|balanceAfter|hits|evidence|durationMs)$/.test(name);

const isName = (name: string): boolean => /^(id|name|project_name|email|index|world)$/.test(name);

/** Draws fields otherwise than their names say, by these; `width` is that of the whole list, in px. */
export type Cells<Row> = Record<string, (row: Row, width: number) => ComponentChildren>;

/**
 * Columns by the names of fields: `status:11rem|8rem` says how wide it is, and on a telephone, `error?` is left out where there is little room, `error?600`
 * in a list that is not as wide in px; `name/title` are two lines.
 */
export function columnsOf<Row extends object>(names: string, cells: Cells<Row> = {}): Column<Row>[] {
  return names.split(' ').map((part, index) => {
    const [, name = '', below, own, minor, px] = /^(\w+)(?:\/(\w+))?(?::([^?]+))?(\?)?(\d+)?$/.exec(part) ?? [];
    const draw = (one: string, row: Row, width: number): ComponentChildren =>
      cells[one] === undefined ? <Value name={one} value={row[one as keyof Row]} isCell /> : cells[one](row, width);
    const [track, narrow] = own?.split('|') ?? [];
    return {
      title: titleOf(name),
      width:
        track?.replace(/^(\d+fr)/, 'minmax(0, $1)') ?? widths.find(([of]) => of.test(name))?.[1] ?? 'minmax(0, 2fr)',
      ...(narrow !== undefined && { narrow }),
      ...(minor !== undefined && { minor: Number(px ?? amplePx) }),
      ...(isNumber(name) && { align: 'end' as const }),
      cell: (row, width) => {
        const value = draw(name, row, width);
        const first = index === 0 && isName(name) ? <strong>{value}</strong> : value;
        return below === undefined ? first : <Two first={first} second={draw(below, row, width)} />;
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
