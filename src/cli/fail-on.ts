// `--fail-on`: which results of verdicts set exit code 1, besides a failure.

export const failOnChoices = ['fail', 'unclear', 'not-exercised'] as const;

/** Whether a result is one that fails. */
export function failsOn(failOn: string | undefined, result: string): boolean {
  return failOn !== undefined && (result === 'fail' || result === failOn);
}
