// Log templates: what the platform and the process of a deployment write when nothing fails.

import { formatDuration } from '../../../core/duration.js';
import type { Random } from '../../../core/random.js';
import type { RunnableImage } from '../../registry/images.js';
import { platformText } from '../../registry/manifest.js';
import { parseImage, pullError } from '../image.js';
import type { Failure, LogLine, StageTimes, TimedPhase } from '../lifecycle/phases.js';
import type { Spec } from '../wire/schema.js';

export interface LogTemplateInput {
  spec: Spec;
  stackName: string;
  times: StageTimes;
  deploymentId: string;
  random: Random;
  image: RunnableImage | null;
  /** A real process runs, which writes its own output. */
  isReal?: boolean;
}

/** The values that templates may name in braces; those that cost a hash are computed on demand. */
function wordsOf({ spec, stackName, times, deploymentId, random, image }: LogTemplateInput) {
  const arm = spec.architecture === 'arm64';
  const reference = parseImage(spec.ecr_image_uri);
  return {
    image: spec.ecr_image_uri,
    get repository() {
      return reference?.repository ?? spec.ecr_image_uri;
    },
    get pullError() {
      return (reference && pullError(reference)) ?? 'invalid reference format';
    },
    port: String(spec.port),
    // The port of a process that listens on the wrong one.
    otherPort: spec.port === 8_080 ? '3000' : '8080',
    path: spec.health_check_path,
    cpu: String(spec.cpu),
    memory: String(spec.memory),
    count: String(spec.desired_count),
    arch: arm ? 'linux/arm64/v8' : 'linux/amd64',
    otherArch: arm ? 'linux/amd64' : 'linux/arm64/v8',
    // The usual entry point of an image of unknown content.
    program: image?.config?.entrypoint[0] ?? image?.config?.command[0] ?? '/usr/local/bin/docker-entrypoint.sh',
    machine: arm ? 't4g.small' : 't3.small',
    stack: stackName,
    get task() {
      return random.hex('task', deploymentId).slice(0, 32);
    },
    get blob() {
      return image?.missing ?? `sha256:${random.hex('blob', deploymentId).slice(0, 64)}`;
    },
    get instance() {
      return `i-0${random.hex('instance', deploymentId).slice(0, 16)}`;
    },
    // Without a limit of its own, the text names the usual one.
    limit: formatDuration(times.limit || 1_800_000),
  };
}

/** A failure mode with its texts filled in. */
export function fillFailure(failure: Failure, input: LogTemplateInput): Failure {
  const words: Record<string, string> = wordsOf(input);
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole);
    if (Array.isArray(value)) return value.map(fill);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
  };
  return fill(failure) as Failure;
}

/** The lines of a phase: its own, or the usual ones of its status. */
export function linesOf(phase: TimedPhase, input: LogTemplateInput): LogLine[] {
  if (phase.logs !== undefined) return phase.logs;
  const words = wordsOf(input);
  switch (phase.status) {
    case 'pending':
      return [
        line(0, `Deployment accepted: ${words.image} (${words.count} x ${words.cpu} CPU units, ${words.memory} MB)`),
      ];
    case 'building':
      return [
        line(0, `Provisioning a ${words.machine} instance and its cluster (${words.arch})`),
        line(0.8, `Instance ${words.instance} registered`),
      ];
    case 'deploying':
      return [
        line(0, `Stack ${words.stack} creation initiated`),
        line(0.3, `Pulling image ${words.image}`),
        ...pulledLines(input),
        line(0.6, `Image pulled, starting task ${words.task}`),
        line(0.75, `Waiting for health checks: GET ${words.path} on port ${words.port}`),
        line(0.95, `Target registered, health checks passing`),
      ];
    case 'running':
      return [
        line(0, `Deployed successfully`),
        ...(input.isReal === true ? [] : [line(0, `Server listening on port ${words.port}`)]),
      ];
    default:
      return [];
  }
}

// Log lines that show the digest, the size and the configuration of a pushed image.
function pulledLines({ image, spec: { port } }: LogTemplateInput): LogLine[] {
  if (image === null) return [];
  const { digest, bytes, config } = image;
  const pulled = line(
    0.55,
    `Pulled ${digest} (${(bytes / 1_000_000).toFixed(1)} MB${config === null ? '' : `, ${platformText(config)}`})`,
  );
  if (config === null) return [pulled];
  const { user, entrypoint, command, exposedPorts, labels } = config;
  const facts = [
    `entry point ${JSON.stringify([...entrypoint, ...command])}`,
    `user ${user ?? 'root'}`,
    ...(exposedPorts.length > 0 ? [`exposes ${exposedPorts.join(', ')}`] : []),
    ...(Object.keys(labels).length > 0 ? [`labels ${JSON.stringify(labels)}`] : []),
  ];
  const told = line(0.57, `Image config: ${facts.join('; ')}`.slice(0, 1_000));
  const isExposed = exposedPorts.length === 0 || exposedPorts.some((exposed) => Number.parseInt(exposed, 10) === port);
  if (isExposed) return [pulled, told];
  const message = `The image exposes ${exposedPorts.join(', ')}, the container's port is ${port}`;
  return [pulled, told, { at: 0.58, level: 'warn', message }];
}

function line(at: number, message: string): LogLine {
  return { at, level: 'info', message };
}

/** Whether the i-th periodic line may have a level: tells most lines apart without making them. */
export function mayChatter(index: number, level: string): boolean {
  return level === 'info' || (level === 'warn' && index % 5 === 4);
}

/**
 * The i-th periodic line of a running process; `chance` is in [0, 1). It is about the process's own work and the
 * platform's checks, never about requests: real requests have lines of their own.
 */
export function chatter(index: number, chance: number): { level: 'info' | 'warn'; message: string } {
  const ms = 1 + Math.floor(chance * 24);
  switch (index % 5) {
    case 0:
      return { level: 'info', message: `health check passed (${ms}ms)` };
    case 1:
      return { level: 'info', message: `event loop lag ${ms}ms` };
    case 2:
      return { level: 'info', message: `cache: ${40 + ms} entries, ${Math.floor(chance * 7)} expired` };
    case 3:
      return { level: 'info', message: `garbage collection took ${ms}ms` };
    default:
      if (chance > 0.9) return { level: 'warn', message: `slow job: cleanup took ${ms * 40}ms` };
      return { level: 'info', message: `job cleanup done in ${ms * 3}ms` };
  }
}
