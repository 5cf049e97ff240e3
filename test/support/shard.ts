// What `.ci/run` runs of the long tests for one commit: an eighth, which the commit chooses. `npm run test:full` runs them all.

/** Such as "2/5"; all of them where nothing is said. */
const [part = 0, parts = 1] = (process.env.CLOUDEMU_TEST_SHARD ?? '').split('/').filter(Boolean).map(Number);

/** Whether what stands at this place of a list belongs to the part that runs. */
export const isInShard = (place: number): boolean => place % parts === part % parts;

/** How much of a long campaign the part that runs tries. */
export const perShard = (whole: number): number => Math.ceil(whole / parts);

// Each takes half a minute or more, the longest first.
const longFiles = [
  'test/entries/explore-recipes.full.ts',
  'test/cli/shared-checkouts.full.ts',
  'test/tools/incidents/becomes-a-test.full.ts',
  'test/cli/explore-judged.full.ts',
  'test/docs/snippets.test.ts',
  'test/tools/incidents/hidden-truth.full.ts',
  'test/cli/drift.test.ts',
  'test/cli/drift-changes.full.ts',
  'test/platform/registry/load.full.ts',
  'test/tools/dashboard/work.full.ts',
  'test/cli/explore-blame.full.ts',
  'test/cli/receipt-vacuous.full.ts',
  'test/entries/action.full.ts',
  'test/cli/test-worlds.full.ts',
  'test/campaigns/crash.full.ts',
  'test/tools/dashboard/views.full.ts',
  'test/campaigns/planted-recordings.full.ts',
  'test/campaigns/crash-full-disk.full.ts',
  'test/entries/jest.full.ts',
  'test/tools/drift/drift.test.ts',
  'test/tools/drift/settings.full.ts',
  'test/platform/voice/durations.full.ts',
  'test/recipes/proxies.full.ts',
  'test/tools/journal/stream.full.ts',
  'test/cli/explore-warm.full.ts',
  'test/tools/history/exact.full.ts',
  'test/tools/dashboard/reference.full.ts',
  'test/cli/typed-command.full.ts',
  'test/entries/github.full.ts',
  'test/tools/dashboard/looks.full.ts',
  'test/entries/twelve.full.ts',
  'test/tools/dashboard/findings.full.ts',
  'test/cli/json-output.test.ts',
  'test/cli/explore.full.ts',
  'test/entries/package.full.ts',
  'test/entries/vitest.full.ts',
  'test/platform/containers/engine.full.ts',
  'test/tools/dashboard/control.full.ts',
  'test/db/room.full.ts',
  'test/tools/worlds/disk.full.ts',
  'test/campaigns/hostile-page.full.ts',
  'test/tools/faults/socket.full.ts',
  'test/entries/kept-alive.full.ts',
  'test/campaigns/hostile-command.full.ts',
  'test/entries/vitest-setup.full.ts',
  'test/entries/drift-recipe.full.ts',
  'test/clients/audio-tools.full.ts',
];

/** The files that this part leaves to others. */
export const leftToOthers = longFiles.filter((_, place) => !isInShard(place));
