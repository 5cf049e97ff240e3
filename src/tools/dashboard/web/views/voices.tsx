// Voices: cloning jobs as they go, and voices that speak.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ControlledVoice, ProviderVoice } from '../../../../platform/voice/control.js';
import { base } from '../api.js';
import { Command, Sample } from '../components/actions.js';
import { Field, type Texts } from '../components/form.js';
import { tabbed } from '../components/list-view.js';
import { Section } from '../components/parts.js';
import { ResourceView } from '../components/resource-view.js';
import { attempt } from '../components/toast.js';
import { useData } from '../live.js';
import { call } from '../operation.js';
import { hrefOf } from '../route.js';
import { Jobs, jobTopics } from './jobs.js';
import { asCurl } from './request-copies.js';

export const Voices = tabbed({
  'cloning jobs': () => (
    <Jobs
      title="Voices"
      note="Cloning jobs as they go."
      isOne={({ voiceId }) => voiceId !== null}
      hint={
        <>
          <p>A client clones a voice from a recording. Its job appears here and moves with time:</p>
          <Sample path="/api/v1/voice/clone" args="-F name=Ada -F cloneType=instant -F file0=@recording.wav" />
        </>
      }
    />
  ),
  voices: () => (
    <ResourceView<ControlledVoice>
      title="Voices"
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
  const request = { text: texts.value.text ?? '', voiceId: texts.value.voiceId || (usual?.id ?? '') };
  const curl = asCurl({
    method: 'POST',
    path: speechPath,
    query: '',
    operation: 'voice.tts',
    status: 200,
    requestHeaders: { authorization: '', 'content-type': 'application/json' },
    requestBody: JSON.stringify(request),
  });
  const speak = async (): Promise<void> => {
    const blob = await speech(request);
    URL.revokeObjectURL(audio.peek());
    audio.value = URL.createObjectURL(blob);
  };
  return (
    <Section title="Hear a voice" level={2}>
      <Field label="Text" name="text" texts={texts} isLong />
      <Field
        label="Voice"
        name="voiceId"
        texts={texts}
        options={[
          ...cloned.map(({ id, name }) => [id, `${name}, cloned`] as const),
          ...others.map(({ id, name }) => [id, name] as const),
        ]}
        none={usual?.name ?? ''}
      />
      <div class="lead">
        <button
          type="button"
          class="primary"
          disabled={request.text.trim() === '' || request.voiceId === ''}
          onClick={() => attempt(speak, 'It can be heard')}
        >
          Speak
        </button>
      </div>
      {audio.value !== '' && (
        // biome-ignore lint/a11y/useMediaCaption: the text that it says stands above it
        <audio controls src={audio.value} aria-label="What the voice says" />
      )}
      <p class="faint">A request of the test key, charged and recorded as any other:</p>
      <Command text={curl} of="the request as curl" isShell />
    </Section>
  );
}

/** Asks the platform for speech with the first test key that is let in. */
async function speech(request: { text: string; voiceId: string }): Promise<Blob> {
  const { keys } = await call<{ keys: { apiKey: string; usable: boolean }[] }>('keys');
  const key = keys.find(({ usable }) => usable);
  if (key === undefined) throw new Error('No test key is usable: create one in Accounts and keys');
  const response = await fetch(`${base}${speechPath}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  // A fault can cut or garble the error.
  if (!response.ok)
    throw new Error(`The platform returned ${response.status}: ${(await response.text()).slice(0, 300)}`);
  return response.blob();
}
