// Endpoints of speech, transcripts and voices: cloning, listing, showing, changing and deleting them.

import { ApiError } from '../../core/errors.js';
import { toCredits } from '../../core/money.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { bytes, json, ok } from '../../http/response.js';
import { chargeCaller } from '../credits/ledger.js';
import { base, isReady, own, premadeVoices, read, visible, write } from './access.js';
import { audioIn, recording, voiceSamples } from './audio/inspect.js';
import { clonePrice, cloneVoice, failureNamed, jobAt, removeVoice } from './jobs.js';
import { presentAdvice, presentDetails, presentJob, presentVoice } from './present.js';
import * as schema from './schema.js';
import { makeSpeech, modelOf, settleSpeech, speechPrice } from './speech.js';
import { listJobs, listVoices, saveVoice } from './store.js';
import { transcribe, transcriptPrice } from './transcripts.js';

const jobUnderWay = (body: string): boolean => /"status":"(?:pending|processing)"/.test(body);

export const voiceEndpoints: Endpoint[] = [
  endpoint({
    id: 'voice.tts',
    method: 'POST',
    path: `${base}/tts`,
    legacyPath: '/tts',
    summary: 'Turn text into speech, as an MP3 file',
    permission: write,
    body: schema.speechBody,
    under: ({ voice }) => (voice.checkTuning ? undefined : { body: schema.untunedSpeechBody }),
    example: { text: 'Hello, world', voiceId: 'EXAVITQu4vr4xnSDxMaL' },
    responses: { 200: { description: 'The audio', contentTypes: ['audio/mpeg'] } },
    errors: ['INSUFFICIENT_CREDITS'],
    priceSettings: ['textToSpeech', 'textToSpeechByModel'],
    price: (call) => speechPrice(call.world.config, call.body.text, modelOf(call)).amount,
    assumptions: ['voice.speech', 'voice.ids', 'voice.price', 'money', 'x402.payment'],
    prepare: makeSpeech,
    handle(call) {
      settleSpeech(call);
      const { content, type } = call.prepared;
      const answer = bytes(content, type, { 'Cache-Control': 'no-cache' });
      return call.world.config.voice.chunked ? { ...answer, chunked: true } : answer;
    },
  }),
  endpoint({
    id: 'voice.stt',
    method: 'POST',
    path: `${base}/stt`,
    legacyPath: '/stt',
    summary: 'Turn speech into text, with the duration of the recording',
    permission: read,
    body: schema.transcriptForm,
    upload: recording,
    responses: { 200: { description: 'The text and the duration', schema: schema.transcriptAnswer } },
    errors: ['INSUFFICIENT_CREDITS'],
    priceSettings: ['speechToText'],
    price: async ({ world, files }) => {
      const [heard] = await audioIn(files.slice(0, 1));
      return transcriptPrice(world.config, heard?.audio.durationMs ?? 0).amount;
    },
    assumptions: ['voice.transcripts', 'voice.price', 'money', 'x402.payment'],
    prepare: listen,
    handle(call) {
      const { text, durationMs } = call.prepared;
      const price = transcriptPrice(call.world.config, durationMs);
      chargeCaller(call, price, `Speech to text of ${Math.round(durationMs / 1_000)} s`);
      return ok({ transcript: text, duration_ms: Math.round(durationMs) });
    },
  }),
  endpoint({
    id: 'voice.list',
    method: 'GET',
    harmless: true,
    path: `${base}/list`,
    legacyPath: '/voices/user',
    polls: { for: 'voice' },
    summary: 'List the voices of the organization, newest first',
    permission: read,
    query: schema.listQuery,
    responses: { 200: { description: 'A page of voices', schema: schema.listAnswer } },
    assumptions: ['voice.list', 'voice.record'],
    handle: list,
  }),
  endpoint({
    id: 'voice.clone',
    method: 'POST',
    path: `${base}/clone`,
    legacyPath: '/voices/clone',
    begins: 'voice',
    summary: 'Clone a voice from samples',
    permission: write,
    body: schema.cloneForm,
    upload: voiceSamples,
    responses: { 201: { description: 'The job has begun', schema: schema.cloneAnswer } },
    errors: ['INSUFFICIENT_CREDITS'],
    priceSettings: ['voiceClone', 'professionalVoiceClone'],
    price: ({ world, body }) => clonePrice(world.config, body.cloneType).amount,
    assumptions: ['voice.clone', 'voice.record', 'voice.price', 'money', 'x402.payment'],
    prepare: ({ files }) => audioIn(files.filter(({ field }) => field.startsWith('file'))),
    handle: clone,
  }),
  endpoint({
    id: 'voice.jobs',
    method: 'GET',
    harmless: true,
    path: `${base}/jobs`,
    legacyPath: '/voices/jobs',
    polls: { for: 'voice', underWay: jobUnderWay },
    summary: 'List the cloning jobs in progress, newest first',
    permission: read,
    query: schema.jobsQuery,
    responses: { 200: { description: 'The jobs', schema: schema.jobsAnswer } },
    assumptions: ['voice.jobs'],
    handle({ world, caller, now, query }) {
      const jobs = listJobs(world.db, caller.organizationId)
        .filter((job) => query.all || jobAt(job, now).endedAt === null)
        .map((job) => presentJob(job, now));
      return ok({ success: true, jobs, total: jobs.length });
    },
  }),
  endpoint({
    id: 'voice.get',
    method: 'GET',
    harmless: true,
    path: `${base}/{id}`,
    legacyPath: '/voices/{id}',
    polls: { for: 'voice', underWay: jobUnderWay },
    summary: 'Get a voice, with its samples',
    permission: read,
    params: schema.voiceParams,
    responses: { 200: { description: 'The voice', schema: schema.voiceAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['voice.ids', 'voice.record'],
    handle: (call) => ok({ success: true, voice: presentDetails(visible(call, call.params.id), call) }),
  }),
  endpoint({
    id: 'voice.update',
    method: 'PATCH',
    path: `${base}/{id}`,
    summary: 'Change the name, description or settings of a voice, or activate or deactivate it',
    permission: write,
    params: schema.voiceParams,
    body: schema.updateBody,
    example: { name: 'Narrator', description: 'Calm and low' },
    responses: { 200: { description: 'The voice as it is now', schema: schema.voiceAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['voice.update', 'voice.ids', 'voice.record'],
    handle(call) {
      const { name, description, settings, isActive } = call.body;
      const voice = own(call, call.params.id);
      if (isActive === true && !isReady(voice, call.now))
        throw new ApiError('CONFLICT', {
          message: 'This voice is still being cloned: it becomes active when its job completes',
        });
      const cloned = {
        ...voice,
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        ...(settings !== undefined && { settings }),
        ...(isActive !== undefined && { is_active: isActive }),
        updated_at: call.now,
      };
      saveVoice(call.world.db, cloned);
      return ok({ success: true, voice: presentDetails({ cloned }, call) });
    },
  }),
  endpoint({
    id: 'voice.delete',
    method: 'DELETE',
    path: `${base}/{id}`,
    legacyPath: '/voices/{id}',
    summary: 'Delete a voice',
    permission: write,
    params: schema.voiceParams,
    responses: { 200: { description: 'The voice is deleted', schema: schema.deleteAnswer } },
    errors: ['NOT_FOUND'],
    assumptions: ['voice.delete', 'voice.ids'],
    handle(call) {
      removeVoice(call.world, own(call, call.params.id), call.now);
      return ok({ success: true, message: 'Voice deleted successfully' });
    },
  }),
];

async function listen({ world, files, warn }: HandlerContext) {
  const [heard] = await audioIn(files.slice(0, 1));
  if (heard === undefined) throw new Error('the form was let in without a file');
  const { text, hint } = await transcribe(world, heard.file, heard.audio);
  if (hint !== undefined) warn(hint);
  return { text, durationMs: heard.audio.durationMs };
}

function list({ world, caller, now, query }: HandlerContext<unknown, typeof schema.listQuery._output>) {
  const { includeInactive, cloneType, includePremade, limit, offset } = query;
  const { organizationId } = caller;
  const cloned = listVoices(world.db, { organizationId, includeInactive, cloneType, now });
  const premade = premadeVoices.filter(
    (voice) => includePremade && (cloneType === undefined || voice.clone_type === cloneType),
  );
  const all = [...cloned.map((voice) => ({ cloned: voice })), ...premade.map((voice) => ({ premade: voice }))];
  const voices = all.slice(offset, offset + limit).map((voice) => presentVoice(voice, { world, now }));
  return ok({ success: true, voices, total: all.length, limit, offset, hasMore: offset + limit < all.length });
}

const leastMs = 60_000;

function clone(
  call: HandlerContext<unknown, unknown, typeof schema.cloneForm._output> & {
    prepared: Awaited<ReturnType<typeof audioIn>>;
  },
) {
  const { name, cloneType, description, settings } = call.body;
  const samples = call.prepared.map(({ file, audio: { format, durationMs } }) => ({
    name: file.name.slice(0, 200),
    format,
    bytes: file.bytes,
    durationMs: Math.round(durationMs),
  }));
  const total = samples.reduce((sum, { durationMs }) => sum + durationMs, 0);
  if (total < leastMs) call.warn(`${Math.round(total / 1_000)} s of samples: 1 to 5 minutes give better results`);
  const { voice, job, deducted, balance } = cloneVoice(call, {
    name,
    cloneType,
    description: description ?? null,
    settings: settings === undefined ? {} : (JSON.parse(settings) as Record<string, unknown>),
    samples,
    failure: failureNamed(call.header('x-emulator-failure'), call.warn) ?? call.world.config.voice.cloning.failure,
  });
  const { status } = call.world.config.voice.cloning;
  return json(201, {
    success: true,
    id: voice.id,
    name,
    status: status === 'job' ? jobAt(job, call.now).status : status,
    voice: presentDetails({ cloned: voice }, call),
    job: presentJob(job, call.now),
    creditsDeducted: toCredits(deducted),
    creditsRemaining: toCredits(balance),
    ...presentAdvice(job, call),
  });
}
