// Another size for a limit: of a preset, a feature or an operation.

import { useSignal } from '@preact/signals';
import type { CoverageReport } from '../../../coverage/control.js';
import { post } from '../api.js';
import { Act } from '../components/actions.js';
import { Field, Fields, filled, flags, type Texts } from '../components/form.js';
import { Section } from '../components/parts.js';
import { useData } from '../live.js';

export type Kind = 'preset' | 'feature' | 'operation';
/** The way in which controls name a limit. */
export type Selector = readonly [Kind, string];

export function SetAny({ limits }: { limits: readonly { selector: Selector | undefined }[] }) {
  const texts = useSignal<Texts>({});
  const { value: coverage } = useData<CoverageReport>('/coverage');
  const kind = (texts.value.kind || 'operation') as Kind;
  const known = limits.flatMap(({ selector }) => (selector?.[0] === kind ? [selector[1]] : []));
  const suggestions = kind === 'operation' ? (coverage?.operations.map(({ operation }) => operation) ?? []) : known;
  return (
    <>
      <Fields>
        <Field label="Of a" name="kind" texts={texts} options={['feature', 'preset']} none="operation" />
        <Field label="Name" name="name" texts={texts} suggestions={suggestions} placeholder={suggestions[0] ?? ''} />
      </Fields>
      <SetLimit selector={[kind, texts.value.name ?? '']} example={suggestions[0]} />
    </>
  );
}

/** `example`: the name in the command while none is chosen. */
export function SetLimit({ selector: [kind, name], example }: { selector: Selector; example?: string | undefined }) {
  const texts = useSignal<Texts>({ limit: '2', window: '' });
  const request = { [kind]: name || example, ...filled(texts.value, ['limit', 'window'], ['limit']) };
  return (
    <Section title="Set it">
      <Fields>
        <Field label="Requests" name="limit" texts={texts} type="number" />
        <Field label="Window" name="window" texts={texts} placeholder="as it is" />
      </Fields>
      <Act
        group="Set it"
        label="Set"
        isPrimary
        command={`limits set${flags(request)}`}
        run={() => post('/limits', request)}
        done={`The limit of ${name} is set`}
        disabled={name === ''}
      />
    </Section>
  );
}
