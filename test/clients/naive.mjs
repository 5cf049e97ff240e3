// A client as they often are: it does the same as the well-behaved one, but tries everything again at once, polls each
// 100 ms, and creates again when it got no answer. It has one connection, so that each of its requests is known to have
// been sent after the answer to the last.

import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const { CLOUD_BASE_URL: baseUrl = '', CLOUD_API_KEY: apiKey = '' } = process.env;
const wanted = { name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry.example.test/shop:v1' };
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function ask(method, path, body) {
  const headers = { authorization: `Bearer ${apiKey}` };
  return new Promise((resolve, reject) => {
    const request = http.request(baseUrl + path, { method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode, text }));
    });
    request.on('error', reject);
    request.end(body && JSON.stringify(body));
  });
}

async function insist(method, path, body) {
  for (;;) {
    try {
      const { status, text } = await ask(method, path, body);
      if (status < 400) return JSON.parse(text).data;
    } catch {
      // Again.
    }
  }
}

for (let n = 1; n <= 3; n++) {
  const { id } = await insist('POST', '/api/v1/containers', wanted);
  let { status } = await insist('GET', `/api/v1/containers/${id}`);
  while (status !== 'running' && status !== 'failed') {
    await sleep(100);
    ({ status } = await insist('GET', `/api/v1/containers/${id}`));
  }
  console.log(`deployment ${n}: ${status}`);
  if (status === 'running') process.exit(0);
}
process.exit(1);
