import { remove } from './deploy.mjs';
import { send } from './http.mjs';

const keysOf = async (cloud) => (await send(cloud, 'GET', '/v1/api-keys')).keys;

/** Replaces the key that the client uses, and returns the new one. The old one is revoked by the new one only. */
export async function rotateKey(cloud) {
  const [old] = await keysOf(cloud);
  const key = await createKey(cloud, 'rotated');
  await remove({ ...cloud, key }, old.id, '/v1/api-keys');
  return key;
}

async function createKey(cloud, name) {
  try {
    return (await send(cloud, 'POST', '/v1/api-keys', { name })).plainKey;
  } catch (error) {
    if (error.refused) throw error;
    // The key may have been created; its value is lost, so that it gets another one.
    const found = (await keysOf(cloud)).find((key) => key.name === name);
    const path = found === undefined ? '/v1/api-keys' : `/v1/api-keys/${found.id}/regenerate`;
    return (await send(cloud, 'POST', path, { name })).plainKey;
  }
}
