// What a text is made of, for comparing texts: words, pairs of words and parts of words, each with its weight.

const common =
  /^(a|an|the|of|to|in|is|are|was|were|be|and|or|for|on|with|as|at|by|it|its|this|that|from|what|which|who|how|do|does|did|i|you|we|can|my|your|me|there|not|has|have|will)$/;

const weights = { word: 1, commonWord: 0.15, pair: 0.35, part: 1.2 } as const;
const partLength = 3;

/** Features by name with their weight. */
export type Features = Map<string, number>;

/** The words of a text, in one spelling. */
export function wordsOf(text: string): string[] {
  const found = text
    .normalize('NFKC')
    .toLowerCase()
    // Scripts without spaces go letter by letter: pairs of them are what words are elsewhere.
    .match(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}])+|\p{Extended_Pictographic}/gu,
    );
  return found ?? [];
}

/** Whether a word says little about what a text is about. */
export function isCommon(word: string): boolean {
  return common.test(word);
}

/** The features of a text. What is said twice weighs more, but not twice as much. */
export function featuresOf(text: string): Features {
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

/** The features of a text that came as the numbers of its tokens. */
export function featuresOfTokens(tokens: readonly number[]): Features {
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
