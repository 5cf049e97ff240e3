// A new fault rule: filled in by hand or from a request, checked against the recent requests, then added.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CoverageReport } from '../../../coverage/control.js';
import type { NetworkFault } from '../../../faults/network/kinds.js';
import type { NewFault as Added, TriedFault } from '../../../faults/views.js';
import type { JournalEntry } from '../../../journal/journal-entry.js';
import { get, post } from '../api.js';
import { Actions } from '../components/actions.js';
import { Field, Fields, filled, type Texts } from '../components/form.js';
import { Section } from '../components/parts.js';
import { RequestLinks } from '../components/request-links.js';
import { useData } from '../live.js';
import { go } from '../route.js';
import { shellQuoted } from '../text.js';
import { asFaultRule } from './request-copies.js';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const phases = ['before', 'after', 'partial'];
const kinds: Record<NetworkFault, true> = {
  reset: true,
  close: true,
  hang: true,
  truncate: true,
  malformed: true,
  drip: true,
  buffer: true,
  refuse: true,
};
const networks = Object.keys(kinds);

interface Checked {
  rule: string;
  result: TriedFault;
  requests: JournalEntry[];
}

export function NewFault({ requestId }: { requestId: string }) {
  const texts = useSignal<Texts>({ status: '503', times: '1' });
  const checked = useSignal<Checked | undefined>(undefined);
  const { value: coverage } = useData<CoverageReport>('/coverage');
  useEffect(() => {
    if (requestId === '') return;
    void get<JournalEntry>(`/requests/${encodeURIComponent(requestId)}`).then((request) => {
      texts.value = { ...texts.value, ...asFaultRule(request).match };
    });
  }, [requestId]);
  const rule = ruleOf(texts.value);
  const json = JSON.stringify(rule);
  const check = async (): Promise<void> => {
    const result = await post<TriedFault>('/faults?dryRun=true', rule);
    const { requests } = await get<{ requests: JournalEntry[] }>('/requests', { limit: 100 });
    const ids = result.wouldHaveMatched.requests;
    checked.value = { rule: json, result, requests: requests.filter((one) => ids.includes(one.requestId)) };
  };
  return (
    <>
      <Section title="Which requests">
        <Fields>
          <Field
            label="Operation"
            name="operation"
            texts={texts}
            placeholder="containers.*"
            suggestions={coverage?.operations.map(({ operation }) => operation) ?? []}
          />
          <Field label="Method" name="method" texts={texts} options={methods} />
          <Field label="Path" name="path" texts={texts} placeholder="/api/v1/*" />
          <Field label="Key" name="key" texts={texts} placeholder="id or prefix" />
          <Field label="Header" name="header" texts={texts} placeholder="x-test: nightly" />
        </Fields>
      </Section>
      <Section title="What happens">
        <Fields>
          <Field label="Status" name="status" texts={texts} type="number" placeholder="503" />
          <Field
            label="Error code"
            name="error"
            texts={texts}
            options={coverage?.errors.map(({ code }) => code) ?? []}
            none="that of the status"
          />
          <Field label="Network" name="network" texts={texts} options={networks} none="works" />
          <Field label="Delay" name="delay" texts={texts} placeholder="2s" />
          <Field label="Retry-After in seconds" name="retryAfter" texts={texts} type="number" />
          <Field label="Phase" name="phase" texts={texts} options={phases} none="that suits it" />
        </Fields>
      </Section>
      <Section title="When">
        <Fields>
          <Field label="Times" name="times" texts={texts} type="number" placeholder="always" />
          <Field label="Let pass first" name="after" texts={texts} type="number" placeholder="0" />
          <Field label="Every n-th" name="every" texts={texts} type="number" placeholder="1" />
          <Field label="Only the n-th" name="nth" texts={texts} type="number" />
          <Field label="Probability" name="probability" texts={texts} type="number" placeholder="0.5" />
          <Field label="Expires in" name="expiresIn" texts={texts} placeholder="10m" />
        </Fields>
      </Section>
      <Actions
        label="The new rule"
        actions={[
          {
            label: 'Add the rule',
            isPrimary: true,
            command: `faults add ${shellQuoted(json)}`,
            run: async () => go({ item: (await post<Added>('/faults', rule)).id }),
            done: 'The rule is armed',
          },
          {
            label: 'Check it first',
            command: `faults add ${shellQuoted(json)} --dry-run`,
            run: check,
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

function ruleOf(texts: Texts): Record<string, unknown> {
  const [, header, value = ''] = /^\s*([^:]+?)\s*:\s*(.*?)\s*$/.exec(texts.header ?? '') ?? [];
  const match = {
    ...filled(texts, ['operation', 'method', 'path', 'key']),
    ...(header !== undefined && { headers: { [header]: value } }),
  };
  const numbers = ['times', 'after', 'every', 'nth', 'probability'];
  const when = filled(texts, [...numbers, 'expiresIn'], numbers);
  const effect = filled(texts, ['status', 'error', 'network', 'delay', 'retryAfter'], ['status', 'retryAfter']);
  const phase = filled(texts, ['phase']);
  return {
    ...(Object.keys(match).length > 0 && { match }),
    ...(Object.keys(when).length > 0 && { when }),
    ...phase,
    effect,
  };
}
