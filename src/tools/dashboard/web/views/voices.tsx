// Voices: cloning jobs as they go, and voices that speak.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ControlledVoice, ProviderVoice } from '../../../../platform/voice/control.js';
import { base } from '../api.js';
import { Actions, Field, Sample, type Texts } from '../components/form.js';
import { ResourceView, tabbed } from '../components/list.js';
import { Section } from '../components/parts.js';
import { call, useData } from '../emulator.js';
import { hrefOf } from '../page.js';
import { Jobs, jobTopics } from './hosted-agents.js';
import { asCurl } from './request-copies.js';

export const Voices = tabbed({
  'cloning jobs': () => (
    <Jobs
      note="Cloning jobs as they go."
      isListed={({ voiceId }) => voiceId !== null}
      hint={
        <Sample
          says="A client clones a voice from a recording. Its job appears here and moves with time:"
          path="/api/v1/voice/clone"
          args="-F name=Ada -F cloneType=instant -F file0=@recording.wav"
        />
      }
    />
  ),
  voices: () => (
    <ResourceView<ControlledVoice>
      note="Cloned voices, and what each voice sounds like."
      operation="voices"
      topics={jobTopics}
      beside={<Hear />}
      more={({ id }) => <a href={hrefOf({ item: `cloning jobs/${id}` })}>Its job</a>}
    />
  ),
});

const speechPath = '/api/v1/voice/tts';

// There is no address at which audio lies: it is made by a request of a client, which this form sends.
function Hear() {
  const { value } = useData<{ voices: ControlledVoice[] }>('/voices', jobTopics);
  const { value: provider } = useData<{ premade: ProviderVoice[] }>('/voices/premade');
  const texts = useSignal<Texts>({ text: 'Hello from the emulator' });
  const audio = useSignal('');
  useEffect(() => () => URL.revokeObjectURL(audio.peek()), []);
  const [usual, ...others] = provider?.premade ?? [];
  const cloned = value?.voices.filter(({ active, ready }) => active && ready) ?? [];
  const options = [
    ...cloned.map(({ id, name }) => [id, `${name}, cloned`] as const),
    ...others.map(({ id, name }) => [id, name] as const),
  ];
  const { text = '', voiceId = '' } = texts.value;
  const requestBody = JSON.stringify({ text, voiceId: voiceId || (usual?.id ?? '') });
  const requestHeaders = { authorization: '', 'content-type': 'application/json' };
  const curl = asCurl({
    method: 'POST',
    path: speechPath,
    query: '',
    operation: null,
    status: 0,
    requestHeaders,
    requestBody,
  });
  return (
    <Section title="Hear a voice" level={2}>
      <Field label="Text" name="text" texts={texts} isLong />
      <Field label="Voice" name="voiceId" texts={texts} options={options} none={usual?.name ?? ''} />
      <Actions
        label="Voice"
        actions={[
          {
            label: 'Speak',
            run: () => speech(requestBody),
            next: (blob: Blob) => {
              URL.revokeObjectURL(audio.peek());
              audio.value = URL.createObjectURL(blob);
            },
            command: curl,
            isShell: true,
            done: 'It can be heard',
            disabled: text.trim() === '' || usual === undefined,
            isPrimary: true,
          },
        ]}
      />
      {audio.value !== '' && (
        // biome-ignore lint/a11y/useMediaCaption: the text that it says stands above it
        <audio controls src={audio.value} aria-label="What the voice says" />
      )}
      <p class="faint">It is a request of the test key, charged and recorded as any other.</p>
    </Section>
  );
}

/** Asks the platform for speech with the first test key that is let in. */
async function speech(body: string): Promise<Blob> {
  const { keys } = await call<{ keys: { apiKey: string; usable: boolean }[] }>('keys');
  const key = keys.find(({ usable }) => usable);
  if (key === undefined) throw new Error('No test key is usable: create one in Accounts and keys');
  const headers = { authorization: `Bearer ${key.apiKey}`, 'content-type': 'application/json' };
  const response = await fetch(`${base}${speechPath}`, { method: 'POST', headers, body });
  // A fault can cut or garble the error.
  if (!response.ok)
    throw new Error(`The platform returned ${response.status}: ${(await response.text()).slice(0, 300)}`);
  return response.blob();
}
