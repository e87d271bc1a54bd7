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
  if (response.ok && parseAs !== undefined && parseAs !== 'json') return { data: await response[parseAs](), response };
  const text = await response.text();
  if (!response.ok) return { error: errorIn(text), response };
  return { data: text === '' ? undefined : JSON.parse(text), response };
}

const JSON_BODY: Pair = ['content-type', 'application/json'];

/** What is not given is left out. */
const textsOf = (values: Values = {}): Pair[] =>
  Object.entries(values).flatMap(([name, value]) =>
    [value].flat().flatMap((one): Pair[] => (one === undefined || one === null ? [] : [[name, String(one)]])),
  );

/** A proxy may answer with something else than JSON. */
function errorIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
