// The test that an incident becomes: it plays the scenario, calls the client, which the user fills in, and asserts.

export const testKinds = ['vitest', 'node', 'pytest'] as const;

interface TestFile {
  file: string;
  text: string;
  /** Runs it. */
  command: string[];
}

/** The test of an incident for a runner. */
export function testFileOf(kind: (typeof testKinds)[number], name: string): TestFile {
  const scenario = `scenarios/incidents/${name}.json`;
  if (kind === 'pytest') {
    const file = `test/incidents/test_${name.replace(/\W/g, '_')}.py`;
    return { file, text: pytest(name, scenario, file), command: ['pytest', file] };
  }
  const begins =
    kind === 'vitest'
      ? ["import { createEmulator } from 'cloudemu';", "import { expect, it } from 'vitest';"]
      : [
          "import assert from 'node:assert/strict';",
          "import { it } from 'node:test';",
          "import { createEmulator } from 'cloudemu';",
        ];
  const unmet = 'expectations.filter((one) => !one.ok)';
  const asserts =
    kind === 'vitest'
      ? [`    expect(${unmet}).toEqual([]);`, '    expect(ok).toBe(true);']
      : [`    assert.deepEqual(${unmet}, []);`, '    assert.ok(ok);'];
  const types = kind === 'vitest' ? ['url: string', 'apiKey: string'] : ['url', 'apiKey'];
  const file = `test/incidents/${name}.test.${kind === 'vitest' ? 'ts' : 'mjs'}`;
  return {
    file,
    command: kind === 'vitest' ? ['npx', 'vitest', 'run', file] : ['node', '--test', file],
    text: [
      ...begins,
      '',
      '// Call the code that met the incident here.',
      `async function client(${types.join(', ')}) {`,
      "  throw new Error('call your client here, with this URL and key: ' + url + ' ' + apiKey);",
      '}',
      '',
      `it('comes through the incident${name === 'incident' ? '' : ` ${name}`}', async () => {`,
      `  const emulator = await createEmulator({ scenario: '${scenario}' });`,
      '  try {',
      '    await client(emulator.url, emulator.apiKey);',
      '    const { ok, expectations } = emulator.controls.scenarios.expectations();',
      ...asserts,
      '  } finally {',
      '    await emulator.close();',
      '  }',
      '});',
      '',
    ].join('\n'),
  };
}

const pytest = (
  name: string,
  scenario: string,
  file: string,
): string => `# Run it with: cloudemu run ${scenario} -- pytest ${file}
# which also judges what the client did.
import os


def client(url, api_key):
    raise NotImplementedError("call your client here, with this URL and key")


def test_${name.replace(/\W/g, '_')}():
    client(os.environ["CLOUD_BASE_URL"], os.environ["CLOUD_API_KEY"])
`;
