// Many jobs of clients at the same time.

/** Runs jobs, so many at a time. */
export async function spread<Job>(jobs: readonly Job[], act: (job: Job) => Promise<void>, clients = 50): Promise<void> {
  const queue = [...jobs];
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) await act(job);
    }),
  );
}
