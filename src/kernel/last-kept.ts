// A function that remembers its last answer.

/**
 * Makes a function that is asked for the same thing again and again answer it once.
 *
 * @example const iso = lastKept((instant: number) => new Date(instant).toISOString())
 */
export function lastKept<Asked, Answer>(answer: (asked: Asked) => Answer): (asked: Asked) => Answer {
  let last: { asked: Asked; answer: Answer } | undefined;
  return (asked) => {
    if (last === undefined || last.asked !== asked) last = { asked, answer: answer(asked) };
    return last.answer;
  };
}
