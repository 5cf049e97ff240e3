// Plays a case in a world, and notes what came: the same in each runner of tests.

const { appendFileSync } = require('node:fs');
const { join } = require('node:path');
const cases = require('./cases.json');

const bodies = {
  container: { name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry.local/shop:v1' },
  empty: {},
};

async function play({ name, requests }, { url, apiKey }) {
  const answers = [];
  let id = '';
  for (const { method = 'GET', path, body, key = 'own' } of requests) {
    const keys = { own: { authorization: `Bearer ${apiKey}` }, wrong: { authorization: 'Bearer wrong' }, none: {} };
    const headers = { ...keys[key], ...(body && { 'content-type': 'application/json' }) };
    const sent = body && JSON.stringify(bodies[body]);
    const response = await fetch(url + path.replace('{id}', id), { method, headers, body: sent });
    const answer = await response.json();
    id = answer.data?.id ?? id;
    answers.push([response.status, ...Object.keys(answer).sort()].join(' '));
  }
  const noted = { name, prefix: apiKey.split('_')[0], answers };
  appendFileSync(join(__dirname, 'noted.jsonl'), `${JSON.stringify(noted)}\n`);
  // What the tests are written for: the profile that the settings name.
  if (noted.prefix !== 'eliza') throw new Error(`the key begins with ${noted.prefix}`);
}

module.exports = { cases, play };
