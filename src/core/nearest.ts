// The nearest known word: behind every "did you mean".

/**
 * The candidate closest to a word, when it is close enough to be a typo of it.
 *
 * @example nearest('nmae', ['name', 'port']) // 'name'
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(word);
  let best: string | undefined;
  // Something of the word must be left of it.
  let bestDistance = Math.min(Math.max(1, Math.floor(wanted.length / 3)), wanted.length - 1) + 1;
  for (const candidate of candidates) {
    const distance = fold(candidate) === wanted ? 0 : editDistance(wanted, fold(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The end of a message about an unknown word: the known one that may be meant, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const suggestion = nearest(word, candidates);
  return suggestion === undefined ? '' : `; did you mean "${suggestion}"?`;
}

// Casing and separators are the commonest errors (projectName for project_name), so they do not count as differences.
function fold(word: string): string {
  return word
    .slice(0, 200)
    .toLowerCase()
    .replace(/[_\-\s]/g, '');
}

function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  let beforePrevious: number[] = [];
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + swap);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? limit;
}
