import { remove } from './deploy.mjs';
import { send } from './http.mjs';

export const removeContainer = remove;

/** Deletes the containers of a project. */
export async function cleanUp(cloud, project) {
  const { data } = await send(cloud, 'GET', '/v1/containers');
  for (const { id } of data.filter(({ project_name }) => project_name === project)) await remove(cloud, id);
}
