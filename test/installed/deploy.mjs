// A client in a project that has the package installed: it deploys a container and watches it until it runs.

import { setTimeout as sleep } from 'node:timers/promises';

const { CLOUD_BASE_URL: baseUrl = '', CLOUD_API_KEY: apiKey = '' } = process.env;

async function call(path, body) {
  const response = await fetch(`${baseUrl}/api/v1/containers${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${apiKey}` },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} gave ${response.status}: ${await response.text()}`);
  return response.json();
}

const { data, polling } = await call('', { name: 'Web', project_name: 'web', ecr_image_uri: 'registry.test/web:v1' });
let container = data;
for (let polls = 0; container.status !== 'running'; polls++) {
  if (container.status === 'failed' || polls === 100) throw new Error(`the container is ${container.status}`);
  await sleep(polling.intervalMs);
  container = (await call(`/${data.id}`)).data;
}
console.log(`deployed: ${container.url}`);
