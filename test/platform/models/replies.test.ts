// The reply that a model gives: an ordered one, one of the settings, one of a file, or the usual one.

import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, createEmulator } from '../../../src/index.js';
import { sampleOf } from '../../support/campaign.js';
import { ask, model } from '../../support/chat.js';
import { tempDir } from '../../support/command.js';
import { call, type Platform, startEmulator, startWorld } from '../../support/emulator.js';

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

const write = (name: string, content: unknown): void =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));

async function said(emulator: Platform, content: string, fields: object = {}): Promise<string> {
  return (await ask(emulator, content, fields)).body.choices[0].message.content;
}

const usual = /Nobody has told the emulator what to answer/;

describe('fixtures of the settings', () => {
  const fits: [string, object, string, object, boolean][] = [
    ['a whole text', { text: 'Hello' }, 'Hello', {}, true],
    ['a whole text, with space around it', { text: 'Hello' }, ' Hello\n', {}, true],
    ['a part of a text', { text: 'Hello' }, 'Hello you', {}, false],
    ['a text with stars', { text: 'Hello *, how are *?' }, 'Hello Ada, how are you?', {}, true],
    ['a text with braces', { text: 'Say {name}' }, 'Say {name}', {}, true],
    ['a regular expression', { text: '/^hello\\b/i' }, 'HELLO there', {}, true],
    ['one that finds nothing', { text: '/^hello\\b/' }, 'HELLO there', {}, false],
    ['one that finds something far within', { text: '/needle/' }, `${'hay '.repeat(5_000)}needle`, {}, true],
    ['a model', { model: 'gpt-4o*' }, 'Hello', {}, true],
    ['a model by its owner', { model: 'gpt-4o' }, 'Hello', { model: 'openai/gpt-4o' }, true],
    ['another model', { model: 'gpt-5*' }, 'Hello', {}, false],
    ['the first turn', { turn: 1 }, 'Hello', {}, true],
    ['a later turn', { turn: 2 }, 'Hello', {}, false],
    ['everything', {}, 'Hello', {}, true],
  ];
  it.each(sampleOf(fits, 4))('fit %s', async (_, match, content, fields, isFitting) => {
    const emulator = await startWorld({ replies: { fixtures: [{ match, reply: 'Fits.' }] } });
    if (isFitting) expect(await said(emulator, content, fields)).toBe('Fits.');
    else expect(await said(emulator, content, fields)).toMatch(usual);
  });

  it('count the turns of a conversation, whatever is between them', async () => {
    const fixtures = [1, 2, 3].map((turn) => ({ match: { turn }, reply: `Turn ${turn}` }));
    const emulator = await startWorld({ replies: { fixtures } });
    const messages: object[] = [{ role: 'system', content: 'Be brief.' }];
    for (const turn of [1, 2, 3]) {
      messages.push({ role: 'user', content: 'Go on' });
      const { body } = await ask(emulator, '', { messages });
      expect(body.choices[0].message.content).toBe(`Turn ${turn}`);
      messages.push(body.choices[0].message);
    }
  });

  it('reply one after the other, the last one for ever', async () => {
    const fixtures = [{ match: { text: 'Next' }, sequence: ['One', { text: 'Two' }, 'Three'] }];
    const emulator = await startWorld({ replies: { fixtures } });
    const all = [];
    for (let i = 0; i < 4; i++) all.push(await said(emulator, 'Next'));
    expect(all).toEqual(['One', 'Two', 'Three', 'Three']);
  });

  it('count in a snapshot, and from the beginning after a reset', async () => {
    const fixtures = [{ sequence: ['One', 'Two', 'Three'] }];
    const emulator = await startWorld({ replies: { fixtures } });
    await said(emulator, 'Next');
    emulator.controls.snapshots.take({ name: 'one' });
    expect(await said(emulator, 'Next')).toBe('Two');
    await emulator.controls.snapshots.restore('one');
    expect(await said(emulator, 'Next')).toBe('Two');
    await emulator.controls.reset();
    expect(await said(emulator, 'Next')).toBe('One');
  });

  it('do not call the same tool for ever', async () => {
    const tools = [{ type: 'function', function: { name: 'look' } }];
    const emulator = await startWorld({ replies: { fixtures: [{ reply: { toolCalls: [{ name: 'look' }] } }] } });
    const first = (await ask(emulator, 'Look', { tools })).body.choices[0].message;
    const result = { role: 'tool', tool_call_id: first.tool_calls[0].id, content: 'Nothing' };
    const messages = [{ role: 'user', content: 'Look' }, first, result];
    expect(await said(emulator, '', { messages, tools })).toContain('The tool look answered "Nothing".');
  });

  it('are checked when they are read', async () => {
    const wrong = (fixture: object) => createEmulator({ replies: { fixtures: [fixture as never] } });
    await expect(wrong({ match: { txt: 'Hello' }, reply: 'Hi' })).rejects.toThrow(/match\.txt is unknown.*"text"/);
    await expect(wrong({ match: { text: '/(?=a)b/' }, reply: 'Hi' })).rejects.toThrow(/cannot be used/);
    await expect(wrong({ match: { text: '/(/' }, reply: 'Hi' })).rejects.toThrow(/is not a regular expression/);
    await expect(wrong({ reply: 'Hi', steps: ['Hi'] })).rejects.toThrow(/one of reply, steps and sequence/);
    await expect(wrong({ reply: { text: 'Hi', value: {} } })).rejects.toThrow(/value contradicts text/);
    await expect(wrong({ reply: {} })).rejects.toBeInstanceOf(ConfigError);
  });
});

describe('files of replies', () => {
  it('come after the settings, and before what is shipped', async () => {
    write('b.json', { replies: [{ match: { text: 'ping' }, reply: 'b' }] });
    write('a.json', {
      replies: [
        { match: { text: 'Hello' }, reply: 'a' },
        { match: { text: 'Both' }, reply: 'a' },
      ],
    });
    const fixtures = [{ match: { text: 'Both' }, reply: 'settings' }];
    const emulator = await startEmulator({ replies: { folder, fixtures } });
    expect(await Promise.all(['ping', 'Hello', 'Both'].map((text) => said(emulator, text)))).toEqual([
      'b',
      'a',
      'settings',
    ]);
  });

  it('are read as soon as their folder is there, and no more when it has gone', async () => {
    const later = join(folder, 'later');
    const emulator = await startEmulator({ replies: { folder: later } });
    expect(await said(emulator, 'Hello')).toMatch(usual);
    mkdirSync(later);
    expect(await said(emulator, 'Hello')).toMatch(usual);
    write('later/mine.json', { replies: [{ reply: 'One' }] });
    expect(await said(emulator, 'Hello')).toBe('One');
    rmSync(later, { recursive: true });
    expect(await said(emulator, 'Hello')).toMatch(usual);
  });

  it.each([
    ['has a name that is too long', () => 'y'.repeat(300)],
    [
      'is a link to itself',
      () => {
        symlinkSync(join(folder, 'circle'), join(folder, 'circle'));
        return join(folder, 'circle');
      },
    ],
  ])('are none where the folder %s', async (_, make) => {
    const emulator = await startEmulator({ replies: { folder: make() } });
    expect(await said(emulator, 'Hello')).toMatch(usual);
  });

  it('are read anew when they were edited, come or have gone', async () => {
    const emulator = await startEmulator({ replies: { folder } });
    expect(await said(emulator, 'Hello')).toMatch(usual);
    write('mine.json', { replies: [{ reply: 'One' }] });
    expect(await said(emulator, 'Hello')).toBe('One');
    write('mine.json', { replies: [{ reply: 'Two' }] });
    utimesSync(join(folder, 'mine.json'), 1, 1);
    expect(await said(emulator, 'Hello')).toBe('Two');
    rmSync(join(folder, 'mine.json'));
    expect(await said(emulator, 'Hello')).toMatch(usual);
  });

  it.each([
    ['no JSON', '{"replies": [', 'mine.json: '],
    ['another shape', { reply: 'Hi' }, 'replies is required'],
    ['an unknown field', { replies: [{ match: { modle: 'x' }, reply: 'Hi' }] }, 'replies[0].match.modle is unknown'],
    ['looking around', { replies: [{ match: { text: '/(?=a)b/' }, reply: 'Hi' }] }, 'cannot be used'],
  ])('that cannot be used (%s) are reported, and the others stay', async (_, content, problem) => {
    write('mine.json', content);
    write('other.json', { replies: [{ match: { text: 'Hello' }, reply: 'Other' }] });
    const emulator = await startEmulator({ replies: { folder } });
    const answer = await ask(emulator, 'Hello');
    expect(answer.body.choices[0].message.content).toBe('Other');
    const { requests } = emulator.controls.requests.list({ operation: 'chat.completions' });
    expect(requests[0]?.warnings.join()).toContain(problem);
  });

  it('are no folders, and no hidden files', async () => {
    mkdirSync(join(folder, 'deep.json'));
    write('.hidden.json', { replies: [{ reply: 'Hidden' }] });
    const emulator = await startEmulator({ replies: { folder } });
    const answer = await ask(emulator, 'Hello');
    expect(answer.body.choices[0].message.content).toMatch(usual);
    expect(answer.headers.get('x-emulator-warning')).toBeNull();
  });
});

describe('replies that are ordered', () => {
  it('come before everything else, in their order, as often as they were ordered', async () => {
    const emulator = await startWorld({ replies: { fixtures: [{ reply: 'Fixture' }] } });
    const { replies } = emulator.controls;
    replies.add({ text: 'One', times: 2 });
    replies.add({ model: 'other', text: 'Other' });
    replies.add({ model: `${model}*`, text: 'Two' });
    expect(replies.list().map(({ id, times }) => [id, times])).toEqual([
      ['reply_1', 2],
      ['reply_2', 1],
      ['reply_3', 1],
    ]);
    const all = [];
    for (let i = 0; i < 4; i++) all.push(await said(emulator, 'Hello'));
    expect(all).toEqual(['One', 'One', 'Two', 'Fixture']);
    expect(replies.list()).toMatchObject([{ model: 'other' }]);
    expect(replies.clear()).toEqual({ removed: 1 });
  });

  it('without content are the usual ones, otherwise', async () => {
    const emulator = await startWorld();
    emulator.controls.replies.add({ finishReason: 'content_filter' });
    const { choices } = (await ask(emulator, 'Hello')).body;
    expect(choices[0].finish_reason).toBe('content_filter');
    expect(choices[0].message.content).toMatch(usual);
  });

  it('come in the pieces that were ordered', async () => {
    const emulator = await startWorld();
    emulator.controls.replies.add({ chunks: ['He', '', 'llo'], times: 2 });
    const { text } = await ask(emulator, 'Hello', { stream: true });
    const contents = [...text.matchAll(/"delta":\{"content":"(.*?)"\}/g)].map((match) => match[1]);
    expect(contents).toEqual(['He', '', 'llo']);
    expect(await said(emulator, 'Hello', { stop: 'l' })).toBe('He');
  });

  it('are used up by what they answer only, not by what is refused', async () => {
    const emulator = await startWorld();
    emulator.controls.replies.add({ text: 'One' });
    expect((await ask(emulator, 'Hello', { temperature: 9 })).status).toBe(400);
    emulator.controls.organizations.credits(emulator.organizationId, { set: 0 });
    expect((await ask(emulator, 'Hello')).status).toBe(402);
    emulator.controls.organizations.credits(emulator.organizationId, { set: 1 });
    expect(await said(emulator, 'Hello')).toBe('One');
  });

  it.each([
    [{}, 'must say something'],
    [{ text: 'a', refusal: 'b' }, 'contradicts text'],
    [{ txt: 'a' }, 'is unknown'],
    [{ text: 'a', delay: '2h' }, 'must be at most an hour'],
    [{ text: 'a', times: 0 }, 'must be at least 1'],
    [{ error: 'CONTENT_POLCY' }, 'CONTENT_POLICY'],
    [{ toolCalls: [{ arguments: {} }] }, 'toolCalls[0].name'],
  ])('are checked: %j', async (body, problem) => {
    const emulator = await startWorld();
    const answer = await call(emulator, 'POST', '/_emulator/replies', body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.text).toContain(problem);
    expect(emulator.controls.replies.list()).toEqual([]);
  });

  it('are a world’s own, and stay over a restart', async () => {
    const dataDir = join(folder, 'data');
    const first = await createEmulator({ dataDir, seed: 1 });
    first.controls.replies.add({ text: 'One' });
    const world = await first.createWorld();
    expect(world.controls.replies.list()).toEqual([]);
    await first.close();
    const again = await startEmulator({ dataDir, seed: 1 });
    expect(again.controls.replies.list()).toMatchObject([{ reply: { text: 'One' } }]);
  });
});

it.each(['Why?', 'Why * is "it" so?', '/why/', 'Say {name}', `Long ${'and longer '.repeat(100)}`, ''])(
  'a reply says of itself how to be replaced: %j',
  async (text) => {
    const usualText = await said(await startWorld(), text);
    const document = JSON.parse(/\{"replies".*?\}\](?=\} into)\}/.exec(usualText)?.[0] ?? '');
    write('mine.json', document);
    expect(await said(await startEmulator({ replies: { folder } }), text)).toBe('…');
  },
);

it('replies cannot be told apart in two runs with one seed and a frozen clock', async () => {
  const run = async (): Promise<string[]> => {
    const emulator = await startWorld({ seed: 'twice' });
    emulator.controls.replies.add({ text: 'One', toolCalls: [{ name: 'look', arguments: { at: 'it' } }], times: 2 });
    const texts: string[] = [];
    for (const fields of [{}, { stream: true }, { n: 2, stream: true }, { max_tokens: 5 }])
      texts.push((await ask(emulator, 'Hello', fields)).text);
    const input = { model, input: 'Hello' };
    for (const body of [input, { ...input, stream: true }])
      texts.push((await call(emulator, 'POST', '/api/v1/responses', body)).text);
    texts.push(JSON.stringify(emulator.controls.ledger()));
    return texts;
  };
  expect(await run()).toEqual(await run());
});

describe('calls of tools and their results', () => {
  const called = { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'look', arguments: '{}' } }] };
  const user = { role: 'user', content: 'Look' };
  const result = { role: 'tool', tool_call_id: 'call_1', content: 'Nothing' };

  it.each<[string, object[], string]>([
    ['a result without its call', [user, result], 'messages[1].tool_call_id'],
    ['a call without its result', [user, called, user], 'messages[1].tool_calls[0]'],
    ['a result that names no call', [user, called, { role: 'tool', content: 'x' }], 'messages[2].tool_call_id'],
    ['calls of a user', [{ ...called, role: 'user', content: 'x' }], 'messages[0].tool_calls'],
  ])('must fit together: %s', async (_, messages, path) => {
    const emulator = await startWorld();
    const answer = await ask(emulator, '', { messages });
    expect([answer.status, answer.body.error.param]).toEqual([400, path]);
  });

  it.each([
    ['required', 'tool_choice'],
    [{ type: 'function', function: { name: 'lok' } }, 'tool_choice'],
  ])('are of tools that are offered: %j', async (choice, param) => {
    const emulator = await startWorld();
    const answer = await ask(emulator, 'Look', { tool_choice: choice });
    expect([answer.status, answer.body.error.param]).toEqual([400, param]);
  });
});

it('a reply is ordered with a warning where its delay does not pass, because the clock is frozen', async () => {
  const world = await startWorld();
  const { clock, replies } = world.controls;
  const warnings = (): (string | null)[] => replies.list().map(({ warning }) => warning);
  clock.freeze();
  expect(replies.add({ text: 'Sunny', delay: '2s' }).warning).toMatch(/clock is frozen.*cloudemu clock advance 2s/);
  replies.add({ text: 'Sunny' });
  replies.add({ text: 'Sunny', firstDelay: '2s', clock: 'wall' });
  expect(warnings()).toEqual([expect.stringContaining('frozen'), null, null]);
  clock.resume();
  expect(warnings()).toEqual([null, null, null]);
});
