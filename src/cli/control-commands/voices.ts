// The verbs for voices and cloning jobs.

import type { OperationCommand } from '../operation-command.js';

export const voiceCommands: readonly OperationCommand[] = [
  {
    door: 'control.voices',
    line: 'voice list',
    bare: true,
    columns: 'id name ready active? cloneType? usageCount? createdAt?',
    examples: [['voice list', 'who was cloned, and whether he can speak']],
  },
  {
    door: 'control.jobs.list',
    line: 'job list',
    bare: true,
    columns: 'id voiceName status progress error? nextTransitionAt?',
    examples: [['job list', 'the cloning jobs, those too that have ended']],
  },
  {
    door: 'control.jobs.get',
    line: 'job show <id>',
    examples: [['job show 51e58c0e-27c4-…', 'by its id, or that of its voice']],
  },
  {
    door: 'control.jobs.finish',
    line: 'job finish <id>',
    examples: [['job finish 51e58c0e-27c4-…', 'its voice can speak']],
  },
  {
    door: 'control.jobs.fail',
    line: 'job fail <id>',
    examples: [['job fail 51e58c0e-27c4-… --mode too-short', 'its voice is gone, its charge returns']],
  },
  {
    door: 'control.await',
    line: 'await job <job>',
    describe: 'Wait until a cloning job has a status',
    only: ['job', 'status', 'timeout', 'advance'],
    showsRefusal: true,
    examples: [['await job 51e58c0e-27c4-… --status completed --advance', 'the clock jumps there']],
  },
];
