// Voices and their jobs as responses show them.

import { formatDuration } from '../../core/duration.js';
import { toCredits } from '../../core/money.js';
import { iso, isoOrNull } from '../../http/wire.js';
import { waitMs } from '../../world/to-client-time.js';
import type { World } from '../../world/world.js';
import { type AnyVoice, base, isReady, type PremadeVoice, premadeId } from './access.js';
import { jobAt } from './jobs.js';
import type { Job, Voice } from './store.js';

interface Viewing {
  world: World;
  now: number;
}

/** The creation date of the provider's voices. */
const premadeSince = '2023-01-01T00:00:00.000Z';

/** A voice as lists show it. */
export function presentVoice({ cloned, premade }: AnyVoice, viewing: Viewing) {
  return cloned === undefined ? presentPremade(premade, viewing) : presentCloned(cloned, viewing);
}

function presentCloned(voice: Voice, { world, now }: Viewing) {
  const ready = isReady(voice, now);
  return {
    id: voice.id,
    ...providerId(world, voice),
    name: voice.name,
    description: voice.description ?? '',
    cloneType: voice.clone_type,
    category: 'cloned',
    status: ready ? 'completed' : 'processing',
    sampleCount: voice.samples.length,
    totalAudioDurationSeconds: seconds(voice.samples.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    audioQualityScore: null,
    usageCount: voice.usage_count,
    lastUsedAt: isoOrNull(voice.last_used_at),
    isActive: ready && voice.is_active,
    isPublic: false,
    createdAt: iso(voice.created_at),
    updatedAt: iso(voice.updated_at),
  };
}

function presentPremade(voice: PremadeVoice, { world }: Viewing) {
  return {
    id: premadeId(world, voice),
    ...providerId(world, voice),
    name: voice.name,
    description: voice.description,
    cloneType: voice.clone_type,
    category: 'premade',
    status: 'completed',
    sampleCount: 0,
    totalAudioDurationSeconds: 0,
    audioQualityScore: null,
    usageCount: 0,
    lastUsedAt: null,
    isActive: true,
    isPublic: true,
    createdAt: premadeSince,
    updatedAt: premadeSince,
  };
}

/** A voice with all its details. */
export function presentDetails(voice: AnyVoice, viewing: Viewing) {
  const { cloned } = voice;
  const samples = cloned?.samples ?? [];
  return {
    ...presentVoice(voice, viewing),
    organizationId: cloned?.organization_id ?? null,
    userId: cloned?.user_id ?? null,
    settings: cloned?.settings ?? {},
    creationCost: toCredits(cloned?.cost ?? 0),
    samples: samples.map(({ name, format, bytes, durationMs }) => ({
      fileName: name,
      format,
      sizeBytes: bytes,
      durationSeconds: seconds(durationMs),
    })),
  };
}

/** A cloning job at an instant. */
export function presentJob(job: Job, now: number) {
  const { status, progress, error, startedAt, endedAt } = jobAt(job, now);
  return {
    id: job.id,
    voiceId: job.voice_id,
    voiceName: job.voice_name,
    jobType: job.kind,
    status,
    progress,
    errorMessage: error,
    createdAt: iso(job.created_at),
    startedAt: isoOrNull(startedAt),
    completedAt: isoOrNull(endedAt),
  };
}

const mostBetweenLooks = 10_000;
const leastBetweenLooks = 250;

/** How long a job takes, and how often to poll. */
export function presentAdvice({ plan }: Job, { world }: Viewing) {
  const virtualMs = plan.pending + plan.processing;
  const interval = Math.min(mostBetweenLooks, Math.max(leastBetweenLooks, Math.round(virtualMs / 10)));
  const expectedDurationMs = waitMs(world, virtualMs);
  return {
    estimatedCompletionTime: formatDuration(expectedDurationMs),
    polling: { endpoint: `${world.prefix}${base}/jobs`, intervalMs: waitMs(world, interval), expectedDurationMs },
  };
}

// The field carries the provider's name.
function providerId({ config }: World, { provider_id }: { provider_id: string }): Record<string, string> {
  return { [`${config.service.legacyVoiceProvider}VoiceId`]: provider_id };
}

function seconds(ms: number): number {
  return Math.round(ms) / 1_000;
}
