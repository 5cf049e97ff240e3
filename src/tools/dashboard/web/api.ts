// Requests to the control plane of the world that the page's address names.

/** The path of the world: '' or '/w/<world>', behind whatever prefix the page was reached under. */
export const base = location.pathname.slice(0, Math.max(0, location.pathname.lastIndexOf('/_emulator')));

/** The world of this page. */
export const worldId = decodeURIComponent(/\/w\/([^/]+)$/.exec(base)?.[1] ?? 'default');

/** The address of the same page in another world. */
export function pageOf(world: string): string {
  const root = base.replace(/\/w\/[^/]+$/, '');
  return `${root}${world === 'default' ? '' : `/w/${encodeURIComponent(world)}`}/_emulator/`;
}

/** An answer that is an error: its message is for people. */
export class RequestError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

interface Request {
  query?: object | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** The world that is asked, where it is not that of the page. */
  world?: string | undefined;
}

/** Asks the control plane. */
export async function request<Result>(method: string, path: string, asked: Request): Promise<Result> {
  const { query = {}, body, signal, world = worldId } = asked;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  const search = parameters.size === 0 ? '' : `?${parameters}`;
  const response = await fetch(`${pageOf(world)}${path.slice(1)}${search}`, {
    method,
    signal: signal ?? null,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const content: unknown = isJson ? await response.json() : undefined;
  if (response.ok) return content as Result;
  const { error } = (content ?? {}) as { error?: { message?: string; details?: FieldProblem[] } | string };
  if (typeof error === 'string') throw new RequestError(error, response.status);
  const { message = `The emulator answered ${response.status}`, details = [] } = error ?? {};
  throw new RequestError(withProblems(message, details), response.status);
}

interface FieldProblem {
  path: string;
  message: string;
  received?: string;
  suggestion?: string;
}

const mostProblems = 5;

// The message has the first one already, without what was received.
function withProblems(message: string, details: readonly FieldProblem[]): string {
  const [first, ...others] = details.map(({ path, message: says, received, suggestion }) => {
    const notes = [received && `got ${received}`, suggestion && `did you mean ${suggestion}?`].filter(Boolean);
    return `${path} ${says}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
  });
  if (first === undefined) return message;
  const more = others.length > mostProblems ? [`and ${others.length - mostProblems} more`] : [];
  return [`${message.split(': ')[0]}: ${first}`, ...others.slice(0, mostProblems), ...more].join('; ');
}

/** Asks for something below /_emulator, of the page's world or another one, for example `get<{ faults: Fault[] }>('/faults')`. */
export function get<Result>(path: string, query?: object, signal?: AbortSignal, world?: string): Promise<Result> {
  return request('GET', path, { query, signal, world });
}
