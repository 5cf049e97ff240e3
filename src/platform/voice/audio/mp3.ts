// The duration of an MP3 file: by its first frame where that states it, else by counting frames. What encoders add before and
// after the sound is not heard.

import { tagBytes } from '../mp3/tag.js';
import type { Source } from './source.js';

interface Frame {
  bytes: number;
  samples: number;
  rate: number;
  /** The properties that all frames of a stream share. */
  kind: number;
  isMono: boolean;
  isVersion1: boolean;
}

/** A frame and where it begins. */
interface Start {
  at: number;
  frame: Frame;
}

const bitrates: Record<string, readonly number[]> = {
  '1,1': [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1,2': [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1,3': [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2,1': [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2,2': [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const rates = [44_100, 48_000, 32_000];
/** How many foreign bytes are searched for the first frame. */
const maxLead = 64 * 1_024;
const stepBytes = 4 * 1_024;
const maxFrameBytes = 3 * 1_024;

/** Milliseconds, or undefined where there are no frames. */
export async function mp3Duration(source: Source): Promise<number | undefined> {
  const begin = await audioStart(source);
  const start = (await findChain(source, begin, begin + maxLead)) ?? (await findFrame(source, begin, begin + maxLead));
  if (start === undefined) return undefined;
  const { at, frame } = start;
  const told = await statement(source, at, frame);
  const from = told === undefined ? at : at + frame.bytes;
  const counted = told?.samples ?? (await countSamples(source, from, frame));
  const unheard = told?.unheard ?? 0;
  return counted <= unheard ? undefined : ((counted - unheard) * 1_000) / frame.rate;
}

/** Whether a frame begins there, and another one (or the end) follows it. */
export async function isMp3At(source: Source, at: number): Promise<boolean> {
  return (await findFrame(source, at, at + 1))?.at === at;
}

/** Whether it begins with the rest of a frame, as a part of a stream does: several whole ones follow. */
export async function beginsWithinFrame(source: Source): Promise<boolean> {
  return (await findChain(source, 0, maxFrameBytes)) !== undefined;
}

/** So many frames in a row are none by chance. */
const chainLength = 4;

// The first of several frames in a row.
async function findChain(source: Source, from: number, until: number): Promise<Start | undefined> {
  for (let at = from; at < until; at++) {
    const start = await findFrame(source, at, until);
    if (start === undefined || (await isChain(source, start))) return start;
    at = start.at;
  }
  return undefined;
}

async function isChain(source: Source, { at, frame }: Start): Promise<boolean> {
  let end = at + frame.bytes;
  for (let i = 1; i < chainLength; i++) {
    const next = frameIn(await source.bytes(end, 4));
    if (next?.kind !== frame.kind) return false;
    end += next.bytes;
  }
  return true;
}

/** The position of the first byte after all ID3v2 tags. */
export async function audioStart(source: Source): Promise<number> {
  let at = 0;
  for (let tag = tagBytes(await source.bytes(0, 10)); tag > 0; tag = tagBytes(await source.bytes(at, 10))) at += tag;
  return at;
}

// A frame followed by another one, or by the end: bytes that only look like one may occur anywhere.
async function findFrame(source: Source, from: number, until: number): Promise<Start | undefined> {
  for (let start = from; start < until; start += stepBytes) {
    const bytes = await source.bytes(start, stepBytes + maxFrameBytes);
    for (
      let i = bytes.indexOf(0xff);
      i !== -1 && i < Math.min(stepBytes, until - start);
      i = bytes.indexOf(0xff, i + 1)
    ) {
      const frame = frameIn(bytes.subarray(i, i + 4));
      if (frame !== undefined && isFollowed(source, bytes, start, i, frame)) return { at: start + i, frame };
    }
  }
  return undefined;
}

function isFollowed(source: Source, bytes: Buffer, start: number, at: number, frame: Frame): boolean {
  const end = at + frame.bytes;
  if (start + end >= source.size) return start + end === source.size;
  const next = bytes.subarray(end, end + 4);
  return frameIn(next)?.kind === frame.kind || next.toString('latin1', 0, 3) === 'TAG';
}

interface Statement {
  /** Undefined where the file has fewer bytes than its first frame states, as it was cut. */
  samples: number | undefined;
  /** The samples that the encoder added before and after the sound. */
  unheard: number;
}

/** A decoder is late by so many samples, which encoders do not count. */
const decoderDelay = 529;

// What encoders write into a first frame, which then is no sound.
async function statement(source: Source, at: number, frame: Frame): Promise<Statement | undefined> {
  const bytes = await source.bytes(at, frame.bytes);
  const xing = 4 + (frame.isVersion1 ? (frame.isMono ? 17 : 32) : frame.isMono ? 9 : 17);
  const name = bytes.toString('latin1', xing, xing + 4);
  const isWhole = (size: number): boolean => size <= source.size - at;
  if ((name === 'Xing' || name === 'Info') && bytes.length >= xing + 16) {
    const flags = bytes.readUInt32BE(xing + 4);
    const size = (flags & 3) === 3 ? bytes.readUInt32BE(xing + 12) : 0;
    const samples = (flags & 1) === 1 && isWhole(size) ? bytes.readUInt32BE(xing + 8) * frame.samples : undefined;
    const more = [1, 2, 4, 8].reduce((sum, flag) => sum + (flags & flag ? (flag === 4 ? 100 : 4) : 0), xing + 8);
    const delays = /^(LAME|Lavf|Lavc)/.test(bytes.toString('latin1', more, more + 4))
      ? bytes.subarray(more + 21, more + 24)
      : Buffer.alloc(0);
    const [before, after] = delays.length === 3 ? [delays.readUInt16BE(0) >> 4, delays.readUInt16BE(1) & 0xfff] : [];
    if (before === undefined || after === undefined) return { samples, unheard: 0 };
    // The end of a file that was cut is not there.
    return {
      samples,
      unheard: before + decoderDelay + (samples === undefined ? 0 : Math.max(0, after - decoderDelay)),
    };
  }
  if (bytes.toString('latin1', 36, 40) !== 'VBRI' || bytes.length < 54) return undefined;
  const samples = isWhole(bytes.readUInt32BE(46)) ? bytes.readUInt32BE(50) * frame.samples : undefined;
  return { samples, unheard: 0 };
}

async function countSamples(source: Source, start: number, first: Frame): Promise<number> {
  let samples = 0;
  for (let at = start; at + 4 <= source.size; ) {
    const frame = frameIn(await source.bytes(at, 4));
    // A file of several streams continues with another kind of frames.
    if (frame !== undefined && frame.rate === first.rate) {
      samples += frame.samples;
      at += frame.bytes;
    } else {
      at = (await findFrame(source, at + 1, source.size))?.at ?? source.size;
    }
  }
  return samples;
}

function frameIn(header: Buffer): Frame | undefined {
  const [sync = 0, id = 0, sizes = 0, mode = 0] = header;
  if (header.length < 4 || sync !== 0xff || (id & 0xe0) !== 0xe0) return undefined;
  const version = [2.5, 0, 2, 1][(id >> 3) & 3] ?? 0;
  const layer = 4 - ((id >> 1) & 3);
  const [rateIndex, padding] = [(sizes >> 2) & 3, (sizes >> 1) & 1];
  const column = version === 1 ? `1,${layer}` : `2,${Math.min(layer, 2)}`;
  const bitrate = (bitrates[column]?.[(sizes >> 4) - 1] ?? 0) * 1_000;
  const rate = (rates[rateIndex] ?? 0) / (version === 1 ? 1 : version * (version === 2.5 ? 1.6 : 1));
  if (version === 0 || layer === 4 || bitrate === 0 || rate === 0) return undefined;
  const samples = layer === 1 ? 384 : layer === 3 && version !== 1 ? 576 : 1_152;
  const slot = layer === 1 ? 4 : 1;
  const bytes = (Math.floor((samples / 8 / slot) * (bitrate / rate)) + padding) * slot;
  return {
    bytes,
    samples,
    rate,
    kind: (id & 0x1e) | (rateIndex << 8),
    isMono: mode >> 6 === 3,
    isVersion1: version === 1,
  };
}
