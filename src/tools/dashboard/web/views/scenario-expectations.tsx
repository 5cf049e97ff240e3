// The expectations that the world's scenario has of the client, turning green as requests come.

import type { ExpectationReport } from '../../../scenarios/expectations.js';
import { Command } from '../components/actions.js';
import { Badge, Meter, Problem } from '../components/parts.js';
import { useData } from '../live.js';
import { hrefOf } from '../route.js';

/** The item that opens them; no scenario can be called so. */
export const expectationsItem = '~expectations';

const topics = ['request', 'control', 'clock', 'container', 'second'] as const;

export function ExpectationSummary() {
  const { value } = useData<ExpectationReport>('/expectations', topics);
  if (value === undefined) return null;
  const { scenario, ok, passed, failed } = value;
  return (
    <div class="totals">
      <div>
        <span>{`${passed} of ${passed + failed} expectations met`}</span>
        <Meter
          label="Expectations met"
          value={passed}
          max={passed + failed}
          tone={ok ? 'good' : failed > 0 ? 'warning' : 'neutral'}
        />
      </div>
      <span class="faint">
        {scenario === null ? 'This world did not begin with a scenario.' : `This world began with ${scenario}.`}
      </span>
      <a href={hrefOf({ item: expectationsItem })}>Show the expectations</a>
    </div>
  );
}

export function ExpectationParts() {
  const { value, error } = useData<ExpectationReport>('/expectations', topics);
  if (value === undefined) return error === '' ? <p class="faint">Reading…</p> : <Problem text={error} />;
  return (
    <>
      <p class="lead">
        <Badge tone={value.ok ? 'good' : 'warning'}>{value.ok ? 'all met' : `${value.failed} not met`}</Badge>
        <span class="faint">{`${value.requests} requests since it began`}</span>
      </p>
      <Command text="expectations" />
      {value.requests === 0 && <p class="faint">The client has sent no request yet.</p>}
      <ul class="expectations">
        {value.expectations.map(({ what, ok, expected, actual, evidence }, index) => (
          <li key={`${what}-${index}`}>
            <p>
              <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'met' : 'not met'}</Badge> {what}
            </p>
            <p class="faint">{ok ? actual : `Expected ${expected}; it is ${actual}`}</p>
            {!ok && evidence.length > 0 && (
              <ul class="notes">
                {evidence.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
