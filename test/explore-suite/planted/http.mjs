// One request, as most clients send it. Whatever is no success is thrown.

export const headersOf = ({ key }) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });

export async function send(cloud, method, path, body) {
  const response = await fetch(cloud.url + path, {
    method,
    headers: headersOf(cloud),
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} gave ${response.status}: ${text.slice(0, 200)}`);
  return JSON.parse(text);
}
