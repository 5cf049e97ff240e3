import { setTimeout as sleep } from 'node:timers/promises';
import { headersOf, send } from './http.mjs';

const wanted = (project) => ({ name: project, project_name: project, ecr_image_uri: `registry.local/${project}:v1` });

/** Deploys a project; a connection that breaks is tried again. */
export async function deploy(cloud, project) {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await send(cloud, 'POST', '/v1/containers', wanted(project))).data.id;
    } catch (error) {
      // Bug (double charge): the container may be there, and the second request deploys and charges it again.
      if (!(error instanceof TypeError) || attempt === 3) throw error;
    }
  }
}

/** Deploys a project on a port, and looks for it when there was no answer. */
export async function deployWithCare(cloud, project, port = 8080) {
  const careful = { ...wanted(project), port };
  try {
    return (await send(cloud, 'POST', '/v1/containers', careful)).data.id;
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    // Bug (needs two faults): where the look fails too, nothing is taken to be there.
    const there = await send(cloud, 'GET', '/v1/containers').catch(() => ({ data: [] }));
    const found = there.data.find(({ project_name }) => project_name === project);
    return found?.id ?? (await send(cloud, 'POST', '/v1/containers', careful)).data.id;
  }
}

/** The projects that are deployed. */
async function deployed(cloud) {
  try {
    const { data } = await send(cloud, 'GET', '/v1/containers');
    return data.map(({ project_name }) => project_name);
  } catch {
    // Bug (swallowed error): what could not be read is not the same as nothing.
    return [];
  }
}

export async function deployMissing(cloud, projects) {
  const there = await deployed(cloud);
  for (const project of projects) if (!there.includes(project)) await deployWithCare(cloud, project);
}

/** Polls until a container runs. */
export async function waitUntilRunning(cloud, id) {
  for (;;) {
    const response = await fetch(`${cloud.url}/v1/containers/${id}`, { headers: headersOf(cloud) });
    if (response.ok) {
      const { data } = await response.json();
      // Bug (endless loop): a deployment that has failed never runs.
      if (data.status === 'running') return data.status;
    } else if (response.status !== 429 && response.status !== 503) {
      throw new Error(`the container ${id} cannot be read: ${response.status} ${await response.text()}`);
    }
    // Bug (ignored Retry-After): the platform may have asked for a longer wait.
    await sleep(110);
  }
}

/** Runs a job in a container that is deleted afterwards. */
export async function runJob(cloud, project) {
  const id = await deployWithCare(cloud, project);
  // Bug (leaked container): when this throws, nobody deletes it.
  const { data } = await send(cloud, 'GET', `/v1/containers/${id}`);
  await send(cloud, 'DELETE', `/v1/containers/${id}`);
  return data.cpu === undefined ? 'unknown' : 'done';
}
