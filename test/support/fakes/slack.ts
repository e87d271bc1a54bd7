import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/** A message that was accepted. */
export interface SlackPost {
  channel: string;
  thread_ts: string;
  ts: string;
  text: string;
  files: { name: string; bytes: Buffer }[];
  deliveryId: string | undefined;
}

/** What one send meets: an error, a status, or a connection that closes after the effect. */
export type SlackFault = { error: string } | { status: number; retryAfter?: string } | 'reset-after';

interface PostOptions {
  forged?: boolean;
  /** When Slack signed it. */
  at?: Date;
  /** The number of the repetition. */
  retry?: number;
}

export interface FakeSlack {
  url: string;
  botToken: string;
  signingSecret: string;
  botId: string;
  channel: string;
  /** Every message accepted, once, in order. */
  posts: SlackPost[];
  /** Files of people's messages, by their ids. */
  files: Map<string, Buffer>;
  next(...faults: SlackFault[]): void;
  /** Posts a body as Slack does. */
  post(url: string, body: object, options?: PostOptions): Promise<{ status: number; body: unknown }>;
  /** Posts an event. */
  event(url: string, event: object, options?: PostOptions): Promise<number>;
  /** Posts a message of a person. Gives its time, by which others name it. */
  receive(
    url: string,
    message: { user: string; text: string; ts?: string } & Record<string, unknown>,
    options?: PostOptions,
  ): Promise<string>;
  close(): Promise<void>;
}

const Timestamp = z.string().regex(/^\d{10}\.\d{6}$/);
const Message = z.strictObject({
  channel: z.string(),
  thread_ts: Timestamp,
  text: z.string().min(1).max(40_000),
  metadata: z.strictObject({
    event_type: z.string(),
    event_payload: z.strictObject({ delivery_id: z.string() }),
  }),
});
const Share = z.strictObject({
  files: z.array(z.strictObject({ id: z.string(), title: z.string() })).min(1),
  channel_id: z.string(),
  thread_ts: Timestamp,
  initial_comment: z.string().min(1).optional(),
});

let times = 0;
/** A time that no message has had yet. */
const newTs = () => `${1_700_000_000 + ++times}.000100`;

/** Slack's Web API and Events API over real HTTP, as strict as the real ones. */
export async function startFakeSlack(): Promise<FakeSlack> {
  const [botToken, signingSecret] = [`xoxb-${randomBytes(8).toString('hex')}`, randomBytes(8).toString('hex')];
  const [channel, botId] = ['C0SUPPORT', 'U0BOT'];
  const posts: SlackPost[] = [];
  const files: FakeSlack['files'] = new Map();
  const uploads = new Map<string, { name: string; bytes: Buffer | undefined }>();
  const faults: SlackFault[] = [];

  const accept = (request: IncomingMessage, response: ServerResponse, post: Omit<SlackPost, 'ts'>) => {
    const met = faults.shift();
    if (typeof met === 'object' && 'error' in met) return answer(response, { ok: false, error: met.error });
    if (typeof met === 'object')
      return response.writeHead(met.status, met.retryAfter ? { 'retry-after': met.retryAfter } : {}).end();
    if (post.channel !== channel) return answer(response, { ok: false, error: 'channel_not_found' });
    const ts = newTs();
    posts.push({ ...post, ts });
    if (met === 'reset-after') return request.socket.resetAndDestroy();
    return answer(response, { ok: true, channel, ts, files: [...uploads.keys()].slice(-1).map((id) => ({ id })) });
  };

  const formOf = (request: IncomingMessage, body: string) =>
    request.headers['content-type'] === 'application/x-www-form-urlencoded' ? new URLSearchParams(body) : undefined;

  const methods: Record<string, (request: IncomingMessage, response: ServerResponse, body: string) => unknown> = {
    'auth.test': (_request, response) => answer(response, { ok: true, team: 'Acme', user_id: botId }),
    'chat.postMessage': (request, response, body) => {
      const { channel: to, thread_ts, text, metadata } = Message.parse(JSON.parse(body));
      const deliveryId = metadata.event_payload.delivery_id;
      return accept(request, response, { channel: to, thread_ts, text, files: [], deliveryId });
    },
    'files.getUploadURLExternal': (request, response, body) => {
      const form = formOf(request, body);
      if (!form?.get('filename') || !form.get('length'))
        return answer(response, { ok: false, error: 'invalid_arguments' });
      const id = `F0UP${uploads.size + 1}`;
      uploads.set(id, { name: form.get('filename') ?? '', bytes: undefined });
      return answer(response, { ok: true, upload_url: `http://${request.headers.host}/upload/${id}`, file_id: id });
    },
    'files.completeUploadExternal': (request, response, body) => {
      const { files: given, channel_id, thread_ts, initial_comment: text = '' } = Share.parse(JSON.parse(body));
      const found = given.flatMap(({ id }) => {
        const { name = '', bytes } = uploads.get(id) ?? {};
        return bytes === undefined ? [] : [{ name, bytes }];
      });
      if (found.length !== given.length) return answer(response, { ok: false, error: 'file_not_found' });
      return accept(request, response, { channel: channel_id, thread_ts, text, files: found, deliveryId: undefined });
    },
    'files.info': (request, response, body) => {
      const id = formOf(request, body)?.get('file') ?? '';
      const met = faults.shift();
      if (typeof met === 'object' && 'error' in met) return answer(response, { ok: false, error: met.error });
      if (!files.has(id)) return answer(response, { ok: false, error: 'file_not_found' });
      const url_private_download = `http://${request.headers.host}/private/${id}`;
      return answer(response, { ok: true, file: { id, url_private_download } });
    },
    'conversations.replies': (request, response, body) => {
      const thread = formOf(request, body)?.get('ts');
      const found = posts.filter(({ thread_ts }) => thread_ts === thread);
      const messages = found.map(({ ts, text, deliveryId }) => ({
        ts,
        text,
        ...(deliveryId && { metadata: { event_type: 'x', event_payload: { delivery_id: deliveryId } } }),
      }));
      return answer(response, { ok: true, messages: [{ ts: thread, text: 'Hello' }, ...messages] });
    },
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const [, place = '', name = ''] = (request.url ?? '').split('/');
    const upload = place === 'upload' ? uploads.get(name) : undefined;
    if (upload !== undefined) {
      upload.bytes = body;
      return response.end('OK');
    }
    if (request.headers.authorization !== `Bearer ${botToken}`)
      return place === 'private'
        ? response.writeHead(302).end()
        : answer(response, { ok: false, error: 'invalid_auth' });
    if (place === 'private') return response.end(files.get(name));
    const method = place === 'api' && request.method === 'POST' ? methods[name] : undefined;
    if (method === undefined) return answer(response, { ok: false, error: 'unknown_method' });
    try {
      return method(request, response, body.toString('utf8'));
    } catch {
      return answer(response, { ok: false, error: 'invalid_arguments' });
    }
  };

  const post: FakeSlack['post'] = async (url, body, { forged = false, at = new Date(), retry } = {}) => {
    const text = JSON.stringify(body);
    const timestamp = String(Math.floor(at.getTime() / 1000));
    const signature = createHmac('sha256', forged ? 'forged' : signingSecret)
      .update(`v0:${timestamp}:${text}`)
      .digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
      ...(retry !== undefined && { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': 'http_timeout' }),
    };
    const answered = await fetch(url, { method: 'POST', headers, body: text });
    return { status: answered.status, body: await answered.json() };
  };

  const event: FakeSlack['event'] = async (url, happened, options) => {
    const authorizations = [{ team_id: 'T0ACME', user_id: botId, is_bot: true }];
    const body = { type: 'event_callback', team_id: 'T0ACME', event: happened, event_id: 'Ev1', authorizations };
    return (await post(url, body, options)).status;
  };

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    botToken,
    signingSecret,
    botId,
    channel,
    posts,
    files,
    next: (...more) => void faults.push(...more),
    post,
    event,
    async receive(url, { ts = newTs(), ...message }, options) {
      const status = await event(url, { type: 'message', channel, ts, channel_type: 'channel', ...message }, options);
      if (status !== 200) throw new Error(`the event was answered ${status}`);
      return ts;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, content: object) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}
