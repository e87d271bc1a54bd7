import type { Config, Polled, Sent, Session, Uploaded } from './wire.ts';

const TIMEOUT_MS = 20_000;

/** An answer of the server that is not a success. Failures of the network are other errors. */
export class Refused extends Error {
  readonly status: number;
  readonly retryAfterMs: number;
  /** The token of the visitor who asked. */
  readonly bearer: string | undefined;

  constructor(status: number, message: string, retryAfterMs: number, bearer: string | undefined) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.bearer = bearer;
  }
}

/** Whether the same request may succeed later. */
export const isPassing = (error: unknown): boolean =>
  !(error instanceof Refused) || error.status >= 500 || error.status === 429 || error.status === 408;

export type Client = ReturnType<typeof createClient>;

/** Makes the widget's requests. `visitor` returns the visitor's token, if there is one. */
export function createClient(host: string, token: string, visitor: () => string | undefined) {
  const request = async <Answer>(path: string, { body, wait = 0, signal }: RequestOptions = {}): Promise<Answer> => {
    const bearer = visitor();
    const isForm = body instanceof FormData;
    const timeout = AbortSignal.timeout(TIMEOUT_MS + wait * 1_000);
    const response = await fetch(`${host}/backend/widget/v2/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      credentials: 'omit',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      headers: {
        'x-bot-token': token,
        ...(bearer && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && !isForm && { 'content-type': 'application/json', prefer: 'wait=0' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    if (response.status === 204) return undefined as Answer;
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1_000;
    throw new Refused(response.status, answer.error?.message ?? response.statusText, retryAfterMs, bearer);
  };

  return {
    config: () => request<Config>('config'),
    createVisitor: (claims: object) => request<{ token: string }>('contact/create-unverified', { body: claims }),
    createSession: (customData: object) => request<Session>('create-session', { body: { customData } }),
    sessions: () => request<{ items: Session[] }>('sessions'),
    poll: (id: string, query: Record<string, string>, signal: AbortSignal) =>
      request<Polled | undefined>(`poll/${id}?${new URLSearchParams(query)}`, {
        wait: Number(query.wait ?? 0),
        signal,
      }),
    send: (message: object) => request<Sent>('chat/send', { body: message }),
    post: (path: string, body: object) => request<unknown>(path, { body }),
    upload: (file: File, onProgress: (share: number) => void) =>
      upload(host, { token, bearer: visitor() ?? '' }, file, onProgress),
    words: async (language: string): Promise<object | undefined> => {
      const response = await fetch(`${host}/widget/${language}.json`, { credentials: 'omit' });
      return response.ok ? response.json() : undefined;
    },
  };
}

interface RequestOptions {
  body?: object;
  /** For how many seconds the server may wait. */
  wait?: number;
  signal?: AbortSignal;
}

/** Uploads by XMLHttpRequest, because fetch tells nothing of its progress. */
function upload(
  host: string,
  { token, bearer }: { token: string; bearer: string },
  file: File,
  onProgress: (share: number) => void,
): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `${host}/backend/widget/v2/upload`);
    request.setRequestHeader('x-bot-token', token);
    request.setRequestHeader('authorization', `Bearer ${bearer}`);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () =>
      request.status === 200
        ? resolve(request.response)
        : reject(new Refused(request.status, request.response?.error?.message ?? request.statusText, 0, bearer));
    request.onerror = () => reject(new TypeError('network'));
    const form = new FormData();
    form.append('file', file);
    request.send(form);
  });
}
