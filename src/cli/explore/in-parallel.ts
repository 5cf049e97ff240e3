// Work that is done by several at a time.

/** Does something as often as there is something to do, several at a time. */
export async function inParallel(jobs: number, work: () => Promise<boolean>): Promise<void> {
  // What one has left over, another one that has ended could have taken.
  const worker = async (): Promise<void> => {
    while (await work());
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}
