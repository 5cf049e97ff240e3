// A new fault rule: filled in by hand or from a request, checked against the recent requests, then added.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CoverageReport } from '../../../coverage/control.js';
import type { NewFault as Added, TriedFault } from '../../../faults/views.js';
import type { JournalEntry } from '../../../journal/journal-entry.js';
import { Actions } from '../components/actions.js';
import { DeclaredFields, Field, inputOf, type Known, type Texts } from '../components/form.js';
import { useItem } from '../components/list-view.js';
import { Section } from '../components/parts.js';
import { RequestLinks } from '../components/request-links.js';
import { useData } from '../live.js';
import { call, commandOf } from '../operation.js';
import { asFaultRule } from './request-copies.js';

const parts = [
  ['Which requests', 'match.operation match.method match.path match.key'],
  ['What happens', 'effect.status effect.error effect.network effect.delay effect.retryAfter phase'],
  ['When', 'when.times when.after when.every when.nth when.probability when.from when.until when.expiresIn optional'],
] as const;

interface Checked {
  rule: string;
  result: TriedFault;
  requests: JournalEntry[];
}

export function NewFault({ requestId }: { requestId: string }) {
  const texts = useSignal<Texts>({ 'effect.status': '503', 'when.times': '1' });
  const checked = useSignal<Checked | undefined>(undefined);
  const [, go] = useItem();
  const { value: coverage } = useData<CoverageReport>('/coverage');
  useEffect(() => {
    if (requestId === '') return;
    void call<JournalEntry>('requests.get', { id: requestId }).then((request) => {
      const match = Object.entries(asFaultRule(request).match).map(([name, text]) => [`match.${name}`, text]);
      texts.value = { ...texts.value, ...Object.fromEntries(match) };
    });
  }, [requestId]);
  const [, header, value = ''] = /^\s*([^:]+?)\s*:\s*(.*?)\s*$/.exec(texts.value.header ?? '') ?? [];
  const input = {
    ...inputOf('faults.add', texts.value),
    ...(header !== undefined && { 'match.headers': { [header]: value } }),
  };
  const json = JSON.stringify(input);
  const known: Known = {
    'match.operation': {
      placeholder: 'containers.*',
      suggestions: coverage?.operations.map(({ operation }) => operation) ?? [],
    },
    'match.method': { options: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], none: 'any' },
    'match.path': { placeholder: '/api/v1/*' },
    'match.key': { placeholder: 'id or prefix' },
    'effect.error': { label: 'Error code', options: coverage?.errors.map(({ code }) => code) ?? [] },
    'effect.network': { none: 'works' },
    'effect.delay': { placeholder: '2s' },
    'effect.retryAfter': { label: 'Retry-After in seconds' },
    phase: { none: 'that suits it' },
    'when.times': { placeholder: 'always' },
    'when.after': { label: 'Let pass first' },
    'when.every': { label: 'Every n-th' },
    'when.nth': { label: 'Only the n-th' },
    'when.from': { label: 'From', placeholder: '5s' },
    'when.until': { label: 'Until', placeholder: '1m' },
    'when.expiresIn': { placeholder: '10m' },
  };
  const check = async (): Promise<void> => {
    const result = await call<TriedFault>('faults.add', { ...input, dryRun: true });
    const { requests } = await call<{ requests: JournalEntry[] }>('requests.list', { limit: 100 });
    const ids = result.wouldHaveMatched.requests;
    checked.value = { rule: json, result, requests: requests.filter((one) => ids.includes(one.requestId)) };
  };
  return (
    <>
      {parts.map(([title, fields]) => (
        <Section key={title} title={title}>
          <div class="fields">
            <DeclaredFields operation="faults.add" fields={fields} texts={texts} known={known} />
            {title === 'Which requests' && (
              <Field label="Header" name="header" texts={texts} placeholder="x-test: nightly" />
            )}
          </div>
        </Section>
      ))}
      <Actions
        label="The new rule"
        actions={[
          {
            label: 'Add the rule',
            operation: 'faults.add',
            input,
            isPrimary: true,
            next: ({ id }: Added) => go(id),
            done: 'The rule is armed',
          },
          {
            label: 'Check it first',
            run: check,
            command: commandOf('faults.add', { ...input, dryRun: true }),
            done: 'Checked: nothing was added',
          },
        ]}
      />
      {checked.value !== undefined && checked.value.rule === json && <Result checked={checked.value} />}
    </>
  );
}

function Result({ checked: { result, requests } }: { checked: Checked }) {
  const { count, of } = result.wouldHaveMatched;
  return (
    <Section title="Checked">
      <p>
        {of === 0
          ? 'No request has come yet that it could be checked against.'
          : `It would have matched ${count} of the last ${of} requests.`}
      </p>
      {result.notes.length > 0 && (
        <ul class="notes warning">
          {result.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <RequestLinks requests={requests} />
    </Section>
  );
}
