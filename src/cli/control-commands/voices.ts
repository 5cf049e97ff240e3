// The commands for voices and cloning jobs.

import type { OperationCommand } from '../operation-command.js';

export const voiceCommands: readonly OperationCommand[] = [
  {
    operation: 'control.voices',
    line: 'voice list',
    bare: true,
    columns: 'id name ready active? cloneType? usageCount? createdAt?',
    examples: [['voice list', 'cloned voices, and whether each is ready']],
  },
  {
    operation: 'control.jobs.list',
    line: 'job list',
    bare: true,
    columns: 'id voiceName status progress error? nextTransitionAt?',
    examples: [['job list', 'all cloning jobs, including those that have ended']],
  },
  {
    operation: 'control.jobs.get',
    line: 'job show <id>',
    examples: [['job show 51e58c0e-27c4-…', 'by its id, or the id of its voice']],
  },
  {
    operation: 'control.jobs.finish',
    line: 'job finish <id>',
    examples: [['job finish 51e58c0e-27c4-…', 'completes the job: its voice is ready']],
  },
  {
    operation: 'control.jobs.fail',
    line: 'job fail <id>',
    examples: [['job fail 51e58c0e-27c4-… --mode too-short', 'removes its voice and refunds its charge']],
  },
  {
    operation: 'control.await',
    line: 'await job <job>',
    describe: 'Wait until a cloning job has a status',
    only: ['job', 'status', 'timeout', 'advance'],
    showsRefusal: true,
    examples: [['await job 51e58c0e-27c4-… --status completed --advance', 'advances the clock until then']],
  },
];
