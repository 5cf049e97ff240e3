// Faults: the rules that make requests fail, what each has done, which have never fired, and a new one.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CoverageReport } from '../../../coverage/control.js';
import type { NewFault as Added, Fault, TriedFault } from '../../../faults/views.js';
import type { JournalEntry } from '../../../journal/journal-entry.js';
import { Actions, DeclaredFields, Field, inputOf, type Known, type Texts } from '../components/form.js';
import { ResourceView, useItem } from '../components/list.js';
import { Document, Notes, RequestLinks, Section, Toggle } from '../components/parts.js';
import { call, commandOf, operationOf, useData } from '../emulator.js';
import { hrefOf, useKeys } from '../page.js';
import { conditionText, countText, effectText, matchText } from '../text.js';
import { asFaultRule } from './request-copies.js';

export function Faults() {
  const isNeverFired = useSignal(false);
  const [item, go] = useItem();
  useKeys([{ key: 'n', does: 'Add a rule', run: () => go('new') }]);
  return (
    <ResourceView<Fault>
      operation="faults.list"
      filter="Filter rules"
      isListed={({ hits }) => !isNeverFired.value || hits === 0}
      tools={
        <>
          <Toggle of={isNeverFired}>Never fired</Toggle>
          <button type="button" class="primary" onClick={() => go('new')}>
            Add a rule
          </button>
        </>
      }
      lines={2}
      columns="match/effect:3fr when:2fr?600 phase:4.5rem? state:5rem hits:3rem"
      cells={{
        match: ({ match }) => <code>{matchText(match)}</code>,
        effect: ({ effect }) => effectText(effect),
        when: ({ when }) => <span class="wraps">{conditionText(when)}</span>,
        hits: ({ hits }) => (hits === 0 ? 'never' : hits),
      }}
      hint={
        <p>
          Add one, or open a request in the <a href={hrefOf({ view: 'timeline' })}>timeline</a> and let the next one
          like it fail.
        </p>
      }
      known={({ match, when, effect, phase, hits, seen }) => ({
        match: <code>{matchText(match)}</code>,
        when: conditionText(when),
        effect: effectText(effect),
        phase: phaseText(phase),
        hits: `${hits} of ${countText(seen, 'request')} that it matched`,
        seen: null,
      })}
      actions={(_, id) => [
        {
          label: 'Remove',
          operation: 'faults.remove',
          next: () => go(''),
          done: `${id} is removed`,
          isDangerous: true,
        },
      ]}
      more={(fault) => <Hits fault={fault} />}
      pane={
        /^new( |$)/.test(item) && {
          title: 'New fault rule',
          content: <NewFault requestId={item.slice('new '.length)} />,
        }
      }
      bar={
        <Actions
          label="All rules"
          actions={[
            { label: 'Remove all rules', operation: 'faults.clear', done: 'No rule is left', isDangerous: true },
          ]}
        />
      }
    />
  );
}

function Hits({ fault }: { fault: Fault }) {
  const { value } = useData<{ requests: JournalEntry[] }>('/requests', ['request'], { faulted: true, limit: 1_000 });
  const hit = value?.requests.filter((request) => request.fault === fault.id) ?? [];
  return (
    <>
      {fault.hits === 0 && <p class="faint">It has never fired: no client has met this fault yet.</p>}
      {hit.length > 0 && (
        <Section title="Requests on which it fired">
          <RequestLinks requests={hit} />
        </Section>
      )}
      <Section title="The rule in full">
        <Document of={fault} />
      </Section>
    </>
  );
}

// As the declaration says it: `before: instead of the operation`.
function phaseText(phase: string): string {
  const { describe = '' } = operationOf('faults.add').fields.find(({ path }) => path === 'phase') ?? {};
  return describe.split('; ').find((part) => part.startsWith(`${phase}:`)) ?? phase;
}

const parts = [
  ['Which requests', 'match.operation match.method match.path match.key'],
  ['What happens', 'effect.status effect.error effect.network effect.delay effect.retryAfter phase'],
  ['When', 'when.times when.after when.every when.nth when.probability when.from when.until when.expiresIn optional'],
] as const;

const matchedText = ({ count, of }: TriedFault['wouldHaveMatched']): string =>
  of === 0
    ? 'No request has come yet that it could be checked against.'
    : `It would have matched ${count} of the last ${countText(of, 'request')}.`;

interface Checked {
  rule: string;
  result: TriedFault;
  requests: JournalEntry[];
}

function NewFault({ requestId }: { requestId: string }) {
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
    'match.method': { none: 'any' },
    'match.path': { placeholder: '/api/v1/*' },
    'match.key': { placeholder: 'id or prefix' },
    'effect.error': { label: 'Error code', options: coverage?.errors.map(({ code }) => code) ?? [] },
    'effect.network': { none: 'works' },
    'effect.delay': { placeholder: '2s' },
    phase: { none: 'that suits it' },
    'when.times': { placeholder: 'always' },
    'when.after': { label: 'Let pass first' },
    'when.every': { label: 'Every n-th' },
    'when.nth': { label: 'Only the n-th' },
    'when.from': { placeholder: '5s' },
    'when.until': { placeholder: '1m' },
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
      {checked.value?.rule === json && (
        <Section title="Checked">
          <p>{matchedText(checked.value.result.wouldHaveMatched)}</p>
          <Notes of={checked.value.result.notes} tone="warning" />
          <RequestLinks requests={checked.value.requests} />
        </Section>
      )}
    </>
  );
}
