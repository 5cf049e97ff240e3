// The client under test: what a program of yours does with the platform.

export interface Cloud {
  /** Deploys an image of a project and returns the container's id. */
  deploy(project: string, tag?: string): Promise<string>;
  status(id: string): Promise<string>;
}

interface Container {
  id: string;
  project_name: string;
  status: string;
}

class NoAnswer extends Error {}

export function createCloud({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Cloud {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };

  async function send<Data>(method: string, path: string, body?: object): Promise<Data> {
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${baseUrl}/api/v1${path}`, init).catch((cause: unknown) => {
      throw new NoAnswer(`${method} ${path} got no answer`, { cause });
    });
    if (!response.ok) throw new Error(`${method} ${path} gave ${response.status}`);
    return ((await response.json()) as { data: Data }).data;
  }

  return {
    async deploy(project, tag = 'v1') {
      const wanted = { name: project, project_name: project, ecr_image_uri: `registry.local/shop:${tag}` };
      try {
        return (await send<Container>('POST', '/containers', wanted)).id;
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        // The container may be there all the same.
        const there = await send<Container[]>('GET', '/containers');
        const found = there.find((container) => container.project_name === project);
        return found?.id ?? (await send<Container>('POST', '/containers', wanted)).id;
      }
    },
    status: async (id) => (await send<Container>('GET', `/containers/${id}`)).status,
  };
}
