// Exploration: what the last `cloudemu explore` of the project found, or one whose report is picked, and which faults it
// tried at which operations.

import { useSignal } from '@preact/signals';
import type { Exploration as Explored } from '../../../explore/control.js';
import type { ExploreReport } from '../../../explore/report.js';
import { Command } from '../components/form.js';
import { ListView } from '../components/list.js';
import { Badge, FilePicker, Matrix, Notes, readJson, Section, Toggle, type Tone } from '../components/parts.js';
import { call, commandLine, type Input, useData } from '../emulator.js';
import { filter, hrefOf, set } from '../page.js';
import { shellQuoted } from '../text.js';

type Find = ExploreReport['finds'][number];

export function Exploration() {
  const { value: last, error, reload } = useData<Explored>('/exploration', ['control']);
  const picked = useSignal<Picked | undefined>(undefined);
  const value = picked.value?.explored ?? last;
  const isMatrix = useSignal(false);
  const isAll = useSignal(false);
  const report = value?.report ?? undefined;
  const command = report?.command.map(shellQuoted).join(' ') ?? 'npm test';
  return (
    <ListView
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
      columns="grade:4.5rem whatWasDone:3fr whatTheClientDid:3fr?420 test?420"
      cells={{
        grade: (find) => <Grade of={find} />,
        whatWasDone: ({ what }) => <span class="wraps">{what}</span>,
        whatTheClientDid: ({ consequences }) => <span class="faint">{consequences[0]?.says}</span>,
        test: ({ tests: [first, ...others], label }) => (
          <code>{others.length === 0 ? (first ?? label) : `${first} and ${others.length} more`}</code>
        ),
      }}
      lines={2}
      keyOf={({ name }) => name}
      instead={() => isMatrix.value && report !== undefined && <Tried report={report} />}
      none={report === undefined ? 'Nothing was explored in this project' : 'No finding'}
      hint={
        report === undefined
          ? unexplored
          : 'No finding matches the filter, or the client survived every fault that was tried.'
      }
      titleOf={({ what }) => what}
      detail={(find) => <FindParts find={find} command={command} />}
      bar={
        <>
          {report !== undefined && <Totals report={report} at={value?.at ?? ''} />}
          <Command text={commandLine(`explore -- ${command}`, '')} />
        </>
      }
    />
  );
}

/** A file that was picked: its report, or why it is none. */
interface Picked {
  explored?: Explored;
  problem: string;
}

/** Reads what `cloudemu explore --json` printed, or the report that the data directory keeps. */
async function readReport(file: File): Promise<Picked> {
  let content: unknown;
  try {
    content = await readJson(file, '`cloudemu explore --json` has printed');
  } catch (error) {
    return { problem: (error as Error).message };
  }
  const { at, report } = (content ?? {}) as Partial<Explored>;
  try {
    const checked = await call<Explored>('checkExploration', (report ?? content) as Input);
    return { explored: { ...checked, at: at ?? null }, problem: '' };
  } catch (error) {
    return { problem: `${file.name} is not a report of an exploration. ${(error as Error).message}` };
  }
}

const unexplored =
  'The command above runs your tests again and again, each time with other faults; its last report is shown here. A report that was kept elsewhere can be opened.';

function Totals({ report, at }: { report: ExploreReport; at: string }) {
  const { tried, runs, seconds, worlds, requests, merged, flaky, unstable, notMet, notTried } = report;
  const others = {
    'like others, left out': merged,
    flaky: flaky.length,
    'different without faults': unstable.length,
    'did not act': notMet.length,
    'not tried': notTried.length,
  };
  const parts = [
    `${tried} faults on ${requests} requests in ${worlds} worlds, ${runs} runs in ${seconds} s`,
    ...Object.entries(others).flatMap(([says, count]) => (count === 0 ? [] : `${count} ${says}`)),
  ];
  return (
    <p class="faint">
      {`${parts.join('; ')}. `}
      <time dateTime={at}>{at.slice(0, 16).replace('T', ' ')}</time>
    </p>
  );
}

const tones: Record<string, Tone> = { A: 'bad', B: 'bad', C: 'warning', D: 'warning', ok: 'good' };

function Grade({ of: { grade } }: { of: Find }) {
  return <Badge tone={tones[grade] ?? 'neutral'}>{grade}</Badge>;
}

function Tried({ report: { matrix } }: { report: ExploreReport }) {
  return (
    <Matrix
      label="Operations and faults"
      rows={matrix}
      long={[...new Set(matrix.flatMap(({ faults }) => Object.keys(faults)))]}
      link={({ operation }) => <a href={hrefOf({ item: '', filter: operation })}>{operation}</a>}
      markOf={({ faults }, kind) => {
        const result = faults[kind];
        return result === undefined ? undefined : [tones[result] ?? '', result];
      }}
    />
  );
}

function FindParts({ find, command }: { find: Find; command: string }) {
  const { label, tests, consequences, requests, output, also, scenario, known } = find;
  return (
    <>
      <p class="lead">
        <Grade of={find} /> <code>{tests.join(', ') || label}</code>
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
      <Notes
        title="What the client sent from there on"
        of={requests.map(({ at, method, path, status, errorCode, fault }) => (
          <>
            <span class="faint">{`${at} ms`}</span> <strong>{method}</strong> <code>{path}</code>{' '}
            {status === 0 ? 'no response' : `${status} ${errorCode ?? ''}`}{' '}
            {fault !== null && <Badge tone="warning">fault</Badge>}
          </>
        ))}
      />
      {output.length > 0 && (
        <Section title="What the command printed">
          <pre class="wraps">{output.join('\n')}</pre>
        </Section>
      )}
      {also.length > 0 && <p class="faint">{`Also with: ${also.join(', ')}.`}</p>}
    </>
  );
}
