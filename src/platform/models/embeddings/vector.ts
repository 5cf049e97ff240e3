// Vectors of texts: hashed features of their words, so that similar texts have near vectors.

const common =
  /^(a|an|the|of|to|in|is|are|was|were|be|and|or|for|on|with|as|at|by|it|its|this|that|from|what|which|who|how|do|does|did|i|you|we|can|my|your|me|there|not|has|have|will)$/;

const weights = { word: 1, commonWord: 0.15, pair: 0.35, part: 1.2 } as const;
const partLength = 3;

/** Features by name with their weight. */
type Features = Map<string, number>;

/** Some characters become 18 in this spelling: only so many times the length of a text is looked at. */
const mostGrowth = 3;

/** The words of a text, in one spelling. */
export function wordsOf(text: string): string[] {
  const words = text
    .normalize('NFKC')
    .slice(0, mostGrowth * text.length)
    .toLowerCase()
    // Scripts without spaces go letter by letter: pairs of them are what words are elsewhere.
    .match(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}])+|\p{Extended_Pictographic}/gu,
    );
  return words ?? [];
}

/** Whether a word is so common that it tells texts apart poorly. */
export function isCommon(word: string): boolean {
  return common.test(word);
}

/** The features of a text. A repeated word weighs more, but not twice as much. */
function featuresOf(text: string): Features {
  const list = wordsOf(text);
  const features: Features = new Map();
  for (const [word, count] of countsOf(list)) {
    const weight = (isCommon(word) ? weights.commonWord : weights.word) * dampened(count);
    features.set(word, weight);
    addParts(features, word, weight);
  }
  for (const [pair, count] of countsOf(pairsOf(list))) features.set(pair, weights.pair * dampened(count));
  return features;
}

/** The features of a text that is given as the numbers of its tokens. */
function featuresOfTokens(tokens: readonly number[]): Features {
  const names = tokens.map((token) => `#${token}`);
  const features: Features = new Map();
  for (const [name, count] of countsOf(names)) features.set(name, weights.word * dampened(count));
  for (const [pair, count] of countsOf(pairsOf(names))) features.set(pair, weights.pair * dampened(count));
  return features;
}

// All parts of a word together weigh the same, however long it is.
function addParts(features: Features, word: string, weight: number): void {
  const whole = `^${word}$`;
  const count = whole.length - partLength + 1;
  if (count < 2) return;
  const each = (weight * weights.part) / Math.sqrt(count);
  for (let at = 0; at < count; at++) {
    const part = `~${whole.slice(at, at + partLength)}`;
    features.set(part, (features.get(part) ?? 0) + each);
  }
}

function pairsOf(list: readonly string[]): string[] {
  return list.slice(1).map((word, index) => `${list[index]} ${word}`);
}

function countsOf(list: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of list) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function dampened(count: number): number {
  return 1 + Math.log(count);
}

/** How many numbers of a vector one feature moves. */
const taps = 24;
/** How far two texts with the same words are apart that differ otherwise. */
const grain = 0.05;

/** The unit vector of a text, or of the numbers of its tokens. */
export function embed(input: string | readonly number[], size: number): Float32Array {
  const isText = typeof input === 'string';
  const vector = scattered(isText ? featuresOf(input) : featuresOfTokens(input), size);
  scaleTo(vector, 1);
  addGrain(vector, hashOf(isText ? `=${input}` : `#${input.join(' ')}`));
  scaleTo(vector, 1);
  return Float32Array.from(vector);
}

/** The first so many numbers of a vector, as a unit vector again. */
export function shortened(vector: Float32Array, dimensions: number): Float32Array {
  if (dimensions >= vector.length) return vector;
  const part = Float64Array.from(vector.subarray(0, dimensions));
  scaleTo(part, 1);
  return Float32Array.from(part);
}

/** How near two unit vectors are: 1 for equal ones. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** A vector as bytes: little-endian 32-bit floats. */
export function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (let i = 0; i < vector.length; i++) bytes.writeFloatLE(vector[i] ?? 0, i * 4);
  return bytes;
}

/** The vector of such bytes. */
export function vectorOf(bytes: Buffer): Float32Array {
  const vector = new Float32Array(bytes.length / 4);
  for (let i = 0; i < vector.length; i++) vector[i] = bytes.readFloatLE(i * 4);
  return vector;
}

function scattered(features: Features, size: number): Float64Array {
  const vector = new Float64Array(size);
  for (const [name, weight] of features) {
    let state = hashOf(name);
    for (let tap = 0; tap < taps; tap++) {
      state = next(state);
      const at = (state >>> 1) % size;
      vector[at] = (vector[at] ?? 0) + ((state & 1) === 0 ? weight : -weight);
    }
  }
  return vector;
}

// Every number gets its share, so that no part of a vector is nothing.
function addGrain(vector: Float64Array, seed: number): void {
  const each = grain * Math.sqrt(12 / vector.length);
  let state = seed;
  for (let i = 0; i < vector.length; i++) {
    state = next(state);
    vector[i] = (vector[i] ?? 0) + (state / 2 ** 32 - 0.5) * each;
  }
}

function scaleTo(vector: Float64Array, length: number): void {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) return;
  const factor = length / Math.sqrt(sum);
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) * factor;
}

// FNV-1a over the code units.
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

// A step of a generator (splitmix32): neighbouring states give unlike numbers.
function next(state: number): number {
  let mixed = (state + 0x9e3779b9) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
