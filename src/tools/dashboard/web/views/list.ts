// All views, in the order of the navigation.
//
// To add or replace one:
// 1. Write views/<name>.tsx. Of a noun it is a `ResourceView` (components/) that names the operation that lists it, those of
//    its buttons and of its form; columns, fields and commands follow from their declarations. `views/accounts.tsx` has five.
// 2. What is more than that is a `ListView`, which has the filter, the list and the pane of the row that the address names, with data
//    of `useData<Shape>('/path', topics)` (emulator.ts); types come from the control operations, by `import type` alone. Columns are
//    names of fields in a line, `cells` draws those that are more than a field. `tabbed` makes a view of several. Further parts are
//    Section, Facts, Notes, Meter, Secret, Instant, Json. `useKeys` binds keys.
// 3. Everything that a button does is one of several `Actions`: an operation and its input, which say the command, too.
// 4. Texts of clients are children of elements, never markup. Styles are the few classes of style.css, never attributes.
// 5. Name it below: test/tools/dashboard/views.full.ts then opens it, with hostile names, in both themes and at 390 px.

import type { ComponentType } from 'preact';
import { Accounts } from './accounts.js';
import { Containers } from './containers.js';
import { Coverage } from './coverage.js';
import { Credits } from './credits.js';
import { Exploration } from './exploration.js';
import { Faults } from './faults.js';
import { HostedAgents } from './hosted-agents.js';
import { Incidents } from './incidents.js';
import { Limits } from './limits.js';
import { Models } from './models.js';
import { Scenarios } from './scenarios.js';
import { Snapshots } from './snapshots.js';
import { Time } from './time.js';
import { Timeline } from './timeline.js';
import { Verdicts } from './verdicts.js';
import { Voices } from './voices.js';
import { Worlds } from './worlds.js';

export interface View {
  /** In the address: #/<path>. */
  path: string;
  title: string;
  /** Its content, in a sentence. */
  note: string;
  /** The key that leads to it. */
  key?: string;
  component: ComponentType;
}

const view = (title: string, component: ComponentType, note: string, key?: string): View => ({
  path: title
    .toLowerCase()
    .replace(/ and .*/, '')
    .replace(' ', '-'),
  title,
  note,
  component,
  ...(key !== undefined && { key }),
});

export const groups: Readonly<Record<string, readonly View[]>> = {
  '': [
    view('Timeline', Timeline, 'Everything that happened, and what is still to come.', '1'),
    view('Time', Time, 'The virtual clock of this world. Everything the platform does follows from it.', '2'),
  ],
  Platform: [
    view(
      'Containers',
      Containers,
      'Each deployment against its plan, its log, its metrics, and what you can do to it.',
      '3',
    ),
    view(
      'Hosted agents',
      HostedAgents,
      'The status of each, its jobs, what it costs by the hour, and what you can do to it.',
    ),
    view('Voices', Voices, 'Cloning jobs as they go, cloned voices, and what each voice sounds like.'),
    view('Models', Models, 'What models are asked and answer, and the replies that they give next.'),
    view('Limits', Limits, 'What each caller has used of its windows, until when, and the limits in force.', '4'),
    view('Credits', Credits, 'The balance of each organization, and every movement that led to it.', '5'),
    view('Accounts and keys', Accounts, 'Who may ask the platform for something, and who pays.'),
  ],
  'Under control': [
    view('Faults', Faults, 'The rules that make requests fail, how often each has, and which never did.', '6'),
    view('Scenarios', Scenarios, 'How a world can begin: data, clock, faults, limits, and what is expected.'),
    view('Snapshots', Snapshots, 'The whole world under a name: data, clock, limits, faults. Not the journal.'),
    view('Worlds', Worlds, 'Each has its own data, clock, seed, faults, limits and journal.'),
  ],
  Findings: [
    view('Verdicts', Verdicts, 'What the client does well and what it does not, judged by its requests.'),
    view('Coverage', Coverage, 'Operations and the outcomes that the client has met: what a test leaves out.'),
    view('Incidents', Incidents, 'Recorded traffic that became a scenario: how each part of it is known.'),
    view('Exploration', Exploration, 'Every fault that can meet the client, tried on its own tests.'),
  ],
};

export const views: readonly View[] = Object.values(groups).flat();
