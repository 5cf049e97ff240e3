// Voices: cloning jobs as they go, what can be done to them, and voices that speak.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ControlledJob } from '../../../../platform/jobs/named.js';
import type { ControlledVoice, ProviderVoice } from '../../../../platform/voice/control.js';
import { base, get } from '../api.js';
import { Copy } from '../components/copy.js';
import { Field, Fields, type Texts } from '../components/form.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Ahead, Empty, Section, Status, When } from '../components/parts.js';
import { Sample } from '../components/sample.js';
import { attempt } from '../components/toast.js';
import { useData } from '../live.js';
import { hrefOf } from '../route.js';
import { set } from '../set.js';
import { JobParts, Progress } from './job-parts.js';
import { useOrganizationNames, withOwners } from './organization.js';
import { asCurl } from './request-copies.js';

const topics = ['request', 'job', 'control', 'clock', 'second'] as const;

export function Voices() {
  const { value, error } = useData<{ jobs: ControlledJob[] }>('/jobs', topics);
  const jobs = value?.jobs.filter(({ type }) => type === 'voice_clone');
  const nameOf = useOrganizationNames();
  return (
    <ListView
      title="Voices"
      note="Cloning jobs as they go, and what each voice sounds like."
      error={error}
      filter="Filter jobs"
      beside={<SpeakAndVoices />}
      label="Cloning jobs"
      rows={jobs}
      columns={withOwners(columns, jobs, nameOf)}
      keyOf={({ id }) => id}
      aliasOf={({ voiceId }) => voiceId ?? ''}
      empty={
        <Empty title="No cloning jobs">
          <p>A client clones a voice from a recording. Its job appears here and moves with time:</p>
          <Sample path="/api/v1/voice/clone" args="-F name=Ada -F cloneType=instant -F file0=@recording.wav" />
        </Empty>
      }
      titleOf={({ name }) => name}
      detail={(job) => <JobParts job={job} />}
    />
  );
}

const columns: readonly Column<ControlledJob>[] = [
  { title: 'Voice', width: 'minmax(0, 2fr)', cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Status', width: '7.25rem', cell: ({ status }) => <Status of={status} /> },
  {
    title: 'Progress',
    width: 'minmax(4rem, 2fr)',
    cell: (job) => (job.error === null ? <Progress job={job} /> : <span class="bad-text">{job.error}</span>),
  },
  { title: 'Began', width: '8.5rem', minor: 560, cell: ({ createdAt }) => <When at={createdAt} /> },
  {
    title: 'Next change',
    width: '7rem',
    minor: true,
    cell: ({ nextTransitionAt }) => <Ahead at={nextTransitionAt} />,
  },
  { title: 'Kind', width: '6.5rem', minor: true, cell: ({ jobType }) => <span class="faint">{jobType}</span> },
];

const speechPath = '/api/v1/voice/tts';

// There is no address at which audio lies: it is made by a request of a client, which this form sends.
function SpeakAndVoices() {
  const { value } = useData<{ voices: ControlledVoice[] }>('/voices', topics);
  const { value: provider } = useData<{ premade: ProviderVoice[] }>('/voices/premade');
  const texts = useSignal<Texts>({ text: 'Hello from the emulator' });
  const audio = useSignal('');
  useEffect(() => () => URL.revokeObjectURL(audio.peek()), []);
  const voices = value?.voices ?? [];
  const usual = provider?.premade[0]?.id ?? '';
  const request = { text: texts.value.text ?? '', voiceId: texts.value.voiceId || usual };
  const options = [
    ...voices.filter(({ active }) => active).map(({ id, name }) => [id, `${name}, cloned`] as const),
    ...(provider?.premade ?? []).slice(1).map(({ id, name }) => [id, name] as const),
  ];
  const curl = asCurl({
    method: 'POST',
    path: speechPath,
    query: '',
    operation: 'voice.tts',
    status: 200,
    requestHeaders: { authorization: '', 'content-type': 'application/json' },
    requestBody: JSON.stringify(request),
  });
  const speak = async (voiceId: string): Promise<void> => {
    set(texts, { ...texts.value, voiceId });
    const blob = await speech({ ...request, voiceId });
    URL.revokeObjectURL(audio.peek());
    audio.value = URL.createObjectURL(blob);
  };
  return (
    <>
      <Section title="Hear a voice" level={2}>
        <Fields>
          <Field label="Text" name="text" texts={texts} isLong />
          <Field
            label="Voice"
            name="voiceId"
            texts={texts}
            isWide
            options={options}
            none={provider?.premade[0]?.name ?? ''}
          />
        </Fields>
        <div class="buttons">
          <button
            type="button"
            class="primary"
            disabled={request.text.trim() === '' || request.voiceId === ''}
            onClick={() => attempt(() => speak(request.voiceId), 'It can be heard')}
          >
            Speak
          </button>
        </div>
        {audio.value !== '' && (
          // biome-ignore lint/a11y/useMediaCaption: the text that it says stands above it
          <audio controls src={audio.value} aria-label="What the voice says" />
        )}
        <p class="faint">A request of the test key, charged and recorded as any other:</p>
        <div class="command long">
          <code>{curl}</code>
          <Copy text={curl} of="the request as curl" />
        </div>
      </Section>
      <Section title="Cloned voices" level={2}>
        {voices.length === 0 && <p class="faint">None yet.</p>}
        <ul class="voices">
          {voices.map(({ id, name, ready, usageCount }) => (
            <li key={id} class="voice">
              <span class="voice-name">
                <a href={hrefOf({ item: id })}>{name}</a>
                <br />
                <small>{`${ready ? 'ready' : 'not ready yet'}, used ${usageCount === 1 ? 'once' : `${usageCount} times`}`}</small>
              </span>
              <button
                type="button"
                disabled={!ready || request.text.trim() === ''}
                aria-label={`Let ${name} speak`}
                onClick={() => attempt(() => speak(id), `${name} can be heard`)}
              >
                Speak
              </button>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

/** Asks the platform for speech with the first test key that is let in. */
async function speech(request: { text: string; voiceId: string }): Promise<Blob> {
  const { keys } = await get<{ keys: { apiKey: string; usable: boolean }[] }>('/keys');
  const key = keys.find(({ usable }) => usable);
  if (key === undefined) throw new Error('No test key is usable: create one in Accounts and keys');
  const response = await fetch(`${base}${speechPath}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  if (!response.ok) throw new Error(`The platform returned ${response.status}: ${messageIn(await response.text())}`);
  return response.blob();
}

// The message of the platform's error; another text as it is.
function messageIn(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } };
    if (typeof error?.message === 'string') return error.message;
  } catch {
    // A fault can cut or garble it.
  }
  return body.slice(0, 300);
}
