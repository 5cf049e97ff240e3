// The course of work that waits, is done, and ends: what it is at an instant.

export interface Course {
  /** When it begins, unless it ends before. */
  begins: number;
  /** Milliseconds of work; null: it hangs. */
  work: number | null;
  /** When it ends, and with which error; at Infinity: never. */
  end: { at: number; error: string | null };
}

export interface CourseState<Working extends string> {
  status: 'pending' | Working | 'completed' | 'failed';
  /** 0 to 100. */
  progress: number;
  error: string | null;
  startedAt: number | null;
  endedAt: number | null;
  /** When time next changes its status, or null. */
  nextAt: number | null;
}

/**
 * The state of work at an instant.
 *
 * @param working the status while it is done
 */
export function courseAt<Working extends string>(
  { begins, work, end }: Course,
  working: Working,
  now: number,
): CourseState<Working> {
  const progressBy = (at: number): number =>
    work === null || work === 0 ? 0 : Math.max(0, Math.min(99, Math.floor(((at - begins) / work) * 100)));
  if (now >= end.at) {
    const ended = { error: end.error, startedAt: Math.min(begins, end.at), endedAt: end.at, nextAt: null };
    if (end.error === null) return { ...ended, status: 'completed', progress: 100 };
    return { ...ended, status: 'failed', progress: progressBy(end.at) };
  }
  const open = { error: null, endedAt: null };
  if (now < begins) return { ...open, status: 'pending', progress: 0, startedAt: null, nextAt: begins };
  const nextAt = end.at === Infinity ? null : end.at;
  return { ...open, status: working, progress: progressBy(now), startedAt: begins, nextAt };
}
