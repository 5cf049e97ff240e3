import { it } from 'vitest';
import { call, startEmulator } from '../support/emulator.js';

it('tries', async () => {
  const emulator = await startEmulator();
  for (const body of [
    {},
    { stream: true, input: [{ role: 'user', content: [{ type: 'input_text', text: 'ping' }] }] },
    {
      tools: [
        {
          type: 'function',
          name: 'get_weather',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
        },
      ],
      tool_choice: 'required',
      stream: true,
    },
  ]) {
    const a = await call(emulator, 'POST', '/api/v1/responses', { model: 'gpt-4o-mini', input: 'ping', ...body });
    process.stdout.write(
      [
        JSON.stringify(body),
        a.status,
        a.text.replace(/,"tools":.*?"user":null/g, '…'),
        a.headers.get('x-emulator-warning'),
      ].join(' ') + '\n\n',
    );
  }
  process.stdout.write((await call(emulator, 'GET', '/api/v1/models')).text.slice(0, 300));
  process.stdout.write(
    emulator.controls
      .ledger()
      .map((l) => JSON.stringify(l))
      .join('\n'),
  );
});
