import type { Client } from 'openapi-fetch';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Values = Record<string, unknown>;
type Pair = [name: string, value: string];

interface Options extends Omit<RequestInit, 'body'> {
  params?: { path?: Values; query?: Values; header?: Values };
  body?: unknown;
  bodySerializer?: (body: unknown) => BodyInit;
  parseAs?: 'json' | 'text' | 'blob';
}

/**
 * Makes the methods of openapi-fetch, typed by the paths of an API, in a fifth of its size: without middleware, and with
 * the one way of our API to write parameters. A list in a query is one parameter for each of its values.
 */
export function createRequests<Paths extends object>(send: typeof fetch): Pick<Client<Paths>, Method> {
  const method = (name: Method) => (path: string, options?: Options) => request(send, { method: name, path, options });
  const methods: Record<Method, unknown> = {
    GET: method('GET'),
    POST: method('POST'),
    PUT: method('PUT'),
    PATCH: method('PATCH'),
    DELETE: method('DELETE'),
  };
  return methods as Pick<Client<Paths>, Method>;
}

interface Asked {
  method: Method;
  path: string;
  options: Options | undefined;
}

async function request(send: typeof fetch, { method, path, options = {} }: Asked) {
  const { params, body, bodySerializer, parseAs, ...init } = options;
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params?.path?.[name])));
  const query = new URLSearchParams(textsOf(params?.query)).toString();
  const isJson = body !== undefined && bodySerializer === undefined;
  const response = await send(address + (query && `?${query}`), {
    ...init,
    method,
    headers: [['accept', 'application/json'], ...(isJson ? [JSON_BODY] : []), ...textsOf(params?.header)],
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : bodySerializer?.(body) }),
  });
  if (response.ok && parseAs !== undefined && parseAs !== 'json')
    return { data: await response[parseAs]().catch(sayUnreachable), response };
  const value = await readJson(response);
  return response.ok ? { data: value, response } : { error: value, response };
}

/** A proxy, or the page where a network wants somebody to sign in, may answer in the place of the API. */
const NOT_OURS = 'Something else than the server answered, such as a proxy. Load the page again.';

/** No answer came, or not all of it. Browsers each have another sentence for it, and none says what to do. */
export class UnreachableError extends Error {}

export function sayUnreachable(error: Error): never {
  if (error.name === 'AbortError') throw error;
  throw new UnreachableError('The server cannot be reached. Check your connection.', { cause: error });
}

/**
 * Reads an answer to its end. Undefined without a body, or for a refusal with another body than JSON. Throws if another
 * server than the API answered.
 */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text().catch(sayUnreachable);
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    if (response.ok) throw new Error(NOT_OURS);
    return undefined;
  }
}

const JSON_BODY: Pair = ['content-type', 'application/json'];

/** What is not given is left out. */
const textsOf = (values: Values = {}): Pair[] =>
  Object.entries(values).flatMap(([name, value]) =>
    [value].flat().flatMap((one): Pair[] => (one === undefined || one === null ? [] : [[name, String(one)]])),
  );
