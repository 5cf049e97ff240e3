// Randomness without chance: every "random" value is a hash of the world's seed and a key.

import crypto, { createHash, createHmac, randomBytes } from 'node:crypto';

export interface Random {
  readonly seed: string;
  /** 64 hex characters for a key. */
  hex(...key: (string | number)[]): string;
  /** A UUID (version 4 layout) for a key. */
  uuid(...key: (string | number)[]): string;
  /** A number in [0, 1) for a key. */
  fraction(...key: (string | number)[]): number;
  /** An HMAC-SHA256 in hex, for values that the world signs. */
  sign(purpose: string, text: string): string;
}

/**
 * The random source of one world: the same seed and key always give the same value.
 *
 * @example createRandom('42').uuid('container', 1)
 */
export function createRandom(seed: string): Random {
  const hex = (...key: (string | number)[]): string => sha256(`${seed}\n${key.join('\n')}`);
  return {
    seed,
    hex,
    uuid(...key) {
      const h = hex('uuid', ...key);
      const variant = '89ab'[Number.parseInt(h.charAt(16), 16) & 3];
      return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-${variant}${h.slice(17, 20)}-${h.slice(20, 32)}`;
    },
    fraction: (...key) => Number.parseInt(hex(...key).slice(0, 12), 16) / 2 ** 48,
    sign: (purpose, text) => createHmac('sha256', hex('signing', purpose)).update(text).digest('hex'),
  };
}

/** A fresh root seed, for a world that was given none. */
export function freshSeed(): string {
  return randomBytes(16).toString('hex');
}

/** SHA-256 in hex: how secrets are stored. */
export function hashSecret(value: string): string {
  return sha256(value);
}

// The one-shot function is twice as fast; Node has it since 20.12.
function sha256(text: string): string {
  return typeof crypto.hash === 'function'
    ? crypto.hash('sha256', text, 'hex')
    : createHash('sha256').update(text).digest('hex');
}

/** Cheap ids by index: 24 hex characters that no two indexes below 2^32 share. */
export function idSeries(random: Random, ...key: (string | number)[]): (index: number) => string {
  const start = random.hex(...key);
  const word = (at: number): number => Number.parseInt(start.slice(at, at + 8), 16);
  const [first, second, third] = [word(0), word(8), word(16)];
  return (index) =>
    hexWord(mix(first ^ index)) + hexWord(mix(second ^ (index + 1))) + hexWord(mix(third ^ (index + 2)));
}

const hexBytes = Array.from({ length: 256 }, (_, byte) => (256 + byte).toString(16).slice(1));

// Each request has an id: by table it costs a quarter of toString(16).
function hexWord(word: number): string {
  return `${hexBytes[word >>> 24]}${hexBytes[(word >>> 16) & 255]}${hexBytes[(word >>> 8) & 255]}${hexBytes[word & 255]}`;
}

// A bijection of 32-bit numbers that scatters neighbours.
function mix(value: number): number {
  let mixed = Math.imul((value ^ (value >>> 16)) >>> 0, 0x85ebca6b) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Cheap numbers in [0, 1) by index, for things there are thousands of (log lines, metric samples). */
export function numberSeries(random: Random, ...key: (string | number)[]): (index: number) => number {
  const start = Number.parseInt(random.hex(...key).slice(0, 8), 16);
  return (index) => mix((start ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0) / 2 ** 32;
}
