// Exploration: what the last `cloudemu explore` of the project found, or one whose report is picked, and which faults it
// tried at which operations.

import { useSignal } from '@preact/signals';
import type { Exploration as Explored } from '../../../explore/control.js';
import type { ExploreReport } from '../../../explore/report.js';
import { Command } from '../components/actions.js';
import { FilePicker, readJson } from '../components/file-picker.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Matrix } from '../components/matrix.js';
import { Badge, Empty, Section, Toggle, type Tone } from '../components/parts.js';
import { useData } from '../live.js';
import { call, commandLine, type Input } from '../operation.js';
import { filter, hrefOf } from '../route.js';
import { set } from '../set.js';
import { shellQuoted } from '../text.js';

type Find = ExploreReport['finds'][number];

export function Exploration() {
  const { value: last, error, reload } = useData<Explored>('/exploration', ['control']);
  const picked = useSignal<Picked | undefined>(undefined);
  const value = picked.value?.explored ?? last;
  const isMatrix = useSignal(false);
  const isAll = useSignal(false);
  const report = value?.report ?? undefined;
  const command = report === undefined ? 'npm test' : lineOf(report);
  return (
    <ListView
      title="Exploration"
      note="Every fault that can meet the client, tried on its own tests."
      error={picked.value?.problem ?? error}
      filter={report && 'Filter findings'}
      words={filter}
      textOf={({ label, tests, what, operation }) => `${label} ${tests.join(' ')} ${what} ${operation}`}
      isListed={({ grade }) => isAll.value || grade !== 'E'}
      tools={
        <>
          {report !== undefined && (
            <>
              <Toggle of={isAll}>
                {`With the platform’s error (${report.finds.filter(({ grade }) => grade === 'E').length})`}
              </Toggle>
              <Toggle of={isMatrix}>Matrix</Toggle>
            </>
          )}
          <button type="button" onClick={() => (picked.value === undefined ? reload() : set(picked, undefined))}>
            {picked.value === undefined ? 'Read again' : 'Show the last run'}
          </button>
          <FilePicker
            label="Open a report"
            what="Report of an exploration"
            onPick={async (file) => set(picked, await readReport(file))}
          />
        </>
      }
      label="Finds"
      rows={value && (report?.finds ?? [])}
      columns={columns}
      lines={2}
      keyOf={({ name }) => name}
      instead={() => isMatrix.value && report !== undefined && <Tried report={report} />}
      empty={value && <Nothing explored={value} />}
      titleOf={({ what }) => what}
      detail={(find) => <FindParts find={find} command={command} />}
    >
      <div class="bar">
        {report !== undefined && <Totals report={report} at={value?.at ?? ''} />}
        <Command text={commandLine(`explore -- ${command}`, '')} />
      </div>
    </ListView>
  );
}

/** A file that was picked: its report, or why it is none. */
interface Picked {
  explored: Explored | undefined;
  problem: string;
}

/** Reads what `cloudemu explore --json` printed, or the report that the data directory keeps. */
async function readReport(file: File): Promise<Picked> {
  let content: unknown;
  try {
    content = await readJson(file, '`cloudemu explore --json` has printed');
  } catch (error) {
    return { explored: undefined, problem: (error as Error).message };
  }
  const { at, report } = (content ?? {}) as Partial<Explored>;
  try {
    const checked = await call<Explored>('checkExploration', (report ?? content) as Input);
    return { explored: { ...checked, at: at ?? null }, problem: '' };
  } catch (error) {
    return {
      explored: undefined,
      problem: `${file.name} is not a report of an exploration. ${(error as Error).message}`,
    };
  }
}

function Nothing({ explored }: { explored: Explored }) {
  return explored.report === null ? (
    <Empty title="Nothing was explored in this project">
      <p>
        The command above runs your tests again and again, each time with other faults; its last report is shown here. A
        report that was kept elsewhere can be opened.
      </p>
    </Empty>
  ) : (
    <Empty title="No finding">
      <p>No finding matches the filter, or the client survived every fault that was tried.</p>
    </Empty>
  );
}

const lineOf = ({ command }: ExploreReport): string => command.map(shellQuoted).join(' ');

function Totals({ report, at }: { report: ExploreReport; at: string }) {
  const { tried, runs, seconds, worlds, requests, merged, flaky, unstable, notMet, notTried } = report;
  const parts = [
    `${tried} faults on ${requests} requests in ${worlds} worlds, ${runs} runs in ${seconds} s`,
    ...[
      [merged, 'like others, left out'],
      [flaky.length, 'flaky'],
      [unstable.length, 'different without faults'],
      [notMet.length, 'did not act'],
      [notTried.length, 'not tried'],
    ].flatMap(([count, says]) => (count === 0 ? [] : `${count} ${says}`)),
  ];
  return (
    <p class="faint">
      {`${parts.join('; ')}. `}
      <time dateTime={at}>{at.slice(0, 16).replace('T', ' ')}</time>
    </p>
  );
}

const tones: Record<string, Tone> = { A: 'bad', B: 'bad', C: 'warning', D: 'warning' };

/** A list beside an open detail is wider than that. */
const narrowPx = 420;

// The first of its tests, and how many there are besides.
function testOf({ tests, label }: Find): string {
  const [first = label, ...others] = tests;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

const columns: readonly Column<Find>[] = [
  { title: 'Grade', width: '4.5rem', cell: ({ grade }) => <Badge tone={tones[grade] ?? 'neutral'}>{grade}</Badge> },
  { title: 'What was done', width: 'minmax(0, 3fr)', cell: ({ what }) => <span class="wraps">{what}</span> },
  {
    title: 'What the client did',
    width: 'minmax(0, 3fr)',
    minor: narrowPx,
    cell: ({ consequences }) => <span class="faint">{consequences[0]?.says}</span>,
  },
  { title: 'Test', width: 'minmax(0, 2fr)', minor: narrowPx, cell: (find) => <code>{testOf(find)}</code> },
];

function Tried({ report: { matrix } }: { report: ExploreReport }) {
  return (
    <Matrix
      label="Operations and faults"
      rows={matrix}
      long={[...new Set(matrix.flatMap(({ faults }) => Object.keys(faults)))]}
      link={({ operation }) => <a href={hrefOf({ item: '', filter: operation })}>{operation}</a>}
      markOf={({ faults }, kind) => {
        const result = faults[kind];
        return result === undefined ? undefined : [result === 'ok' ? 'good' : (tones[result] ?? ''), result];
      }}
    />
  );
}

function FindParts({ find, command }: { find: Find; command: string }) {
  const { grade, label, tests, consequences, requests, output, also, scenario, known } = find;
  return (
    <>
      <p class="lead">
        <Badge tone={tones[grade] ?? 'neutral'}>{grade}</Badge>{' '}
        <code>{tests.length === 0 ? label : tests.join(', ')}</code>
      </p>
      {known !== null && <p>{`Accepted: ${known}`}</p>}
      {consequences.map(({ kind, says, advice }) => (
        <Section key={kind} title={says}>
          <p>{advice}</p>
        </Section>
      ))}
      {scenario !== null && (
        <Section title="Show it again">
          <Command text={commandLine(`run ${shellQuoted(scenario)} -- ${command}`, '')} />
        </Section>
      )}
      <Section title="What the client sent from there on">
        <ul class="notes">
          {requests.map(({ at, method, path, status, errorCode, fault }, index) => (
            <li key={`${at}-${index}`}>
              <span class="faint">{`${at} ms`}</span> <strong>{method}</strong> <code>{path}</code>{' '}
              {status === 0 ? 'no response' : [status, errorCode].filter((part) => part !== null).join(' ')}{' '}
              {fault !== null && <Badge tone="warning">fault</Badge>}
            </li>
          ))}
        </ul>
      </Section>
      {output.length > 0 && (
        <Section title="What the command printed">
          <pre class="wraps">{output.join('\n')}</pre>
        </Section>
      )}
      {also.length > 0 && <p class="faint">{`Also with: ${also.join(', ')}.`}</p>}
    </>
  );
}
