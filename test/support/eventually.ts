// Waiting for what no event tells.

/** Waits until something holds; half a minute and more is only spent where it never does. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 3_000; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`it never came true: ${holds}`);
}
