// A client as they often are: it does the same as the well-behaved one, but tries everything again at once, polls each
// 100 ms, and creates again when it got no answer.

import { setTimeout as sleep } from 'node:timers/promises';

const { CLOUD_BASE_URL: baseUrl = '', CLOUD_API_KEY: apiKey = '' } = process.env;
const wanted = { name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry.example.test/shop:v1' };

async function insist(method, path, body) {
  for (;;) {
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${apiKey}` },
        body: body && JSON.stringify(body),
      });
      const answer = await response.json();
      if (response.ok) return answer.data;
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
