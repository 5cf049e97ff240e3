// Functions that remember their last result.

/**
 * Wraps a function so that it runs once for consecutive calls with the same argument.
 *
 * @example const iso = memoizeLast((instant: number) => new Date(instant).toISOString())
 */
export function memoizeLast<Asked, Answer>(answer: (asked: Asked) => Answer): (asked: Asked) => Answer {
  return memoizeMany(1, answer);
}

/**
 * Makes a function that is asked for the same few things again and again answer each once; of more than so many it forgets all.
 *
 * @example const secrecy = memoizeMany(2_000, secrecyOf)
 */
export function memoizeMany<Asked, Answer>(most: number, answer: (asked: Asked) => Answer): (asked: Asked) => Answer {
  return memoizeBy(most, (asked) => asked, answer);
}

/**
 * Remembers results like memoizeMany, by a part of the argument that decides about the result: `keyOf` takes it.
 *
 * @example const surfaceOf = memoizeBy(20, ({ service }: Config) => service.name, surfaceFor)
 */
export function memoizeBy<Asked, Key, Answer>(
  most: number,
  keyOf: (asked: Asked) => Key,
  answer: (asked: Asked) => Answer,
): (asked: Asked) => Answer {
  const answers = new Map<Key, Answer>();
  return (asked) => {
    const key = keyOf(asked);
    const before = answers.get(key);
    if (before !== undefined) return before;
    const answered = answer(asked);
    if (answers.size >= most) answers.clear();
    answers.set(key, answered);
    return answered;
  };
}
