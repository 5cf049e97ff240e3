// All views, in the order of the navigation.
//
// To add or replace one:
// 1. Write views/<name>.tsx. Of a noun it is a `ResourceView` (components/) that names the operation that lists it, those of
//    its buttons and of its form; columns, fields and commands follow from their declarations. `views/accounts.tsx` has five.
// 2. What is more than that is a `ListView`, which has the filter, the list and the pane of the row that the address names, with data
//    of `useData<Shape>('/path', topics)` (live.ts); types come from the control operations, by `import type` alone.
//    `tabbed` makes a view of several. Further parts are Section, KeyValues, Meter, Secret, Instant, Json. `useKeys` binds keys.
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
  /** The key that leads to it. */
  key?: string;
  group: (typeof groups)[number];
  component: ComponentType;
}

export const groups = ['', 'Platform', 'Under control', 'Findings'] as const;

export const views: readonly View[] = [
  { path: 'timeline', title: 'Timeline', key: '1', group: '', component: Timeline },
  { path: 'time', title: 'Time', key: '2', group: '', component: Time },
  { path: 'containers', title: 'Containers', key: '3', group: 'Platform', component: Containers },
  { path: 'hosted-agents', title: 'Hosted agents', group: 'Platform', component: HostedAgents },
  { path: 'voices', title: 'Voices', group: 'Platform', component: Voices },
  { path: 'models', title: 'Models', group: 'Platform', component: Models },
  { path: 'limits', title: 'Limits', key: '4', group: 'Platform', component: Limits },
  { path: 'credits', title: 'Credits', key: '5', group: 'Platform', component: Credits },
  { path: 'accounts', title: 'Accounts and keys', group: 'Platform', component: Accounts },
  { path: 'faults', title: 'Faults', key: '6', group: 'Under control', component: Faults },
  { path: 'scenarios', title: 'Scenarios', group: 'Under control', component: Scenarios },
  { path: 'snapshots', title: 'Snapshots', group: 'Under control', component: Snapshots },
  { path: 'worlds', title: 'Worlds', group: 'Under control', component: Worlds },
  { path: 'verdicts', title: 'Verdicts', group: 'Findings', component: Verdicts },
  { path: 'coverage', title: 'Coverage', group: 'Findings', component: Coverage },
  { path: 'incidents', title: 'Incidents', group: 'Findings', component: Incidents },
  { path: 'exploration', title: 'Exploration', group: 'Findings', component: Exploration },
];
