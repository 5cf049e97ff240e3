import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformError, send } from './http.mjs';

const wanted = (project, port) => ({
  name: project,
  project_name: project,
  ecr_image_uri: `registry.local/${project}:v1`,
  ...(port && { port }),
});

const list = async (cloud) => (await send(cloud, 'GET', '/v1/containers')).data;

/** Deploys a project, and looks for it when nobody knows whether it was deployed. */
export async function deploy(cloud, project, port) {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await send(cloud, 'POST', '/v1/containers', wanted(project, port))).data.id;
    } catch (error) {
      if (error.refused) throw error;
      const found = (await list(cloud)).find(({ project_name }) => project_name === project);
      if (found !== undefined) return found.id;
      if (attempt === 3) throw error;
    }
  }
}

export const deployWithCare = (cloud, project, port = 8080) => deploy(cloud, project, port);

export async function deployMissing(cloud, projects) {
  const there = (await list(cloud)).map(({ project_name }) => project_name);
  for (const project of projects) if (!there.includes(project)) await deployWithCare(cloud, project);
}

/** Polls until a container runs. */
export async function waitUntilRunning(cloud, id) {
  for (;;) {
    const { data } = await send(cloud, 'GET', `/v1/containers/${id}`);
    if (data.status === 'running') return data.status;
    if (data.status === 'failed') throw new PlatformError(`the deployment has failed: ${data.error_message}`);
    await sleep(110);
  }
}

/** Runs a job in a container that is deleted afterwards. */
export async function runJob(cloud, project) {
  const id = await deployWithCare(cloud, project);
  try {
    const { data } = await send(cloud, 'GET', `/v1/containers/${id}`);
    return data.cpu === undefined ? 'unknown' : 'done';
  } finally {
    await remove(cloud, id);
  }
}

/** Deletes a container, or something else; what is gone already is no mistake. */
export async function remove(cloud, id, among = '/v1/containers') {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(cloud, 'DELETE', `${among}/${id}`);
    } catch (error) {
      if (error.status === 404) return undefined;
      if (error.refused || attempt === 4) throw error;
      await sleep(50 * 2 ** attempt);
    }
  }
}
