import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

type Channel = 'messenger' | 'instagram';

/** A message that was accepted. */
export interface SentDirectMessage {
  id: string;
  to: string;
  text: string | undefined;
  file: { type: string; url: string } | undefined;
  metadata: string | undefined;
}

/** What one send meets: a refusal, or a connection that closes after the effect. */
export type DirectFault = { status: number; code: number; subcode?: number; message?: string } | 'reset-after';

export interface FakeDirectMessages {
  url: string;
  account: string;
  accessToken: string;
  appSecret: string;
  /** Every message accepted, once, in order. */
  sent: SentDirectMessage[];
  /** Files of people's messages, by the name in their address. */
  files: Map<string, Buffer>;
  next(...faults: DirectFault[]): void;
  /** The 24 hours of a person end. */
  endWindow(userId: string): void;
  /** Posts a message of a person. Answers with the status it got, and the message's id. */
  receive(
    url: string,
    message: { from: string; mid?: string; forged?: boolean; account?: string } & Record<string, unknown>,
  ): Promise<{ status: number; mid: string }>;
  /** Posts events as they are. */
  post(url: string, events: object[], options?: { forged?: boolean; account?: string }): Promise<number>;
  /** Asks for the subscription, and says whether the challenge came back. */
  handshake(url: string, verifyToken: string): Promise<boolean>;
  close(): Promise<void>;
}

const Attachment = z.strictObject({
  type: z.enum(['image', 'video', 'audio', 'file']),
  payload: z.strictObject({ url: z.url() }),
});
const Recipient = z.strictObject({ id: z.string() });
const MessengerBody = z.strictObject({
  recipient: Recipient,
  messaging_type: z.literal('RESPONSE'),
  message: z.strictObject({
    text: z.string().min(1).max(2_000).optional(),
    attachment: Attachment.optional(),
    metadata: z.string().max(1_000).optional(),
  }),
});
const InstagramBody = z.strictObject({
  recipient: Recipient,
  message: z.strictObject({
    text: z
      .string()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= 1_000)
      .optional(),
    attachment: Attachment.optional(),
    metadata: z.undefined().optional(),
  }),
});

/** Meta's Graph API for Messenger or Instagram over real HTTP, as strict as the real one. */
export async function startFakeDirectMessages(channel: Channel): Promise<FakeDirectMessages> {
  const [accessToken, appSecret] = [`EAAG${randomBytes(8).toString('hex')}`, randomBytes(8).toString('hex')];
  const account = channel === 'messenger' ? '1007000001' : '17841400000000001';
  const sent: SentDirectMessage[] = [];
  const files: FakeDirectMessages['files'] = new Map();
  const faults: DirectFault[] = [];
  const known = new Set<string>();
  const inWindow = new Set<string>();

  const refusalOf = (to: string): Exclude<DirectFault, string> | undefined => {
    if (!known.has(to)) return { status: 400, code: 100, subcode: 2018001, message: 'No matching user found' };
    const message = 'This message is sent outside of allowed window.';
    const subcode = channel === 'messenger' ? 2018278 : 2534022;
    return inWindow.has(to) ? undefined : { status: 400, code: 10, subcode, message };
  };

  const take = (request: IncomingMessage, response: ServerResponse, body: unknown) => {
    const met = faults.shift();
    if (typeof met === 'object') return refuse(response, met);
    const given = (channel === 'messenger' ? MessengerBody : InstagramBody).safeParse(body);
    if (!given.success) return refuse(response, { status: 400, code: 100, message: z.prettifyError(given.error) });
    const { recipient, message } = given.data;
    if ((message.text === undefined) === (message.attachment === undefined))
      return refuse(response, { status: 400, code: 100, message: 'Either text or attachment' });
    const refusal = refusalOf(recipient.id);
    if (refusal !== undefined) return refuse(response, refusal);
    const file = message.attachment && { type: message.attachment.type, url: message.attachment.payload.url };
    const id = newId();
    sent.push({ id, to: recipient.id, text: message.text, file, metadata: message.metadata });
    if (met === 'reset-after') return request.socket.resetAndDestroy();
    return answer(response, 200, { recipient_id: recipient.id, message_id: id });
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://graph');
    const [, version, id = '', edge] = pathname.split('/');
    if (version === 'cdn') return files.has(id) ? response.end(files.get(id)) : response.writeHead(404).end();
    if (request.headers.authorization !== `Bearer ${accessToken}`)
      return refuse(response, { status: 401, code: 190, message: 'Malformed access token' });
    if (version !== 'v23.0' || id !== account)
      return refuse(response, { status: 400, code: 100, message: `Unsupported request: '${id}' does not exist` });
    if (request.method === 'POST' && edge === 'messages') return take(request, response, JSON.parse(text));
    return answer(response, 200, searchParams.get('fields') === 'id' ? { id } : {});
  };

  const post: FakeDirectMessages['post'] = async (url, events, { forged = false, account: id = account } = {}) => {
    const messaging = events.map((event) => ({ timestamp: Date.now(), recipient: { id }, ...event }));
    const object = channel === 'messenger' ? 'page' : 'instagram';
    const body = JSON.stringify({ object, entry: [{ id, time: Date.now(), messaging }] });
    const key = forged ? 'forged' : appSecret;
    const signature = createHmac('sha256', key).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account,
    accessToken,
    appSecret,
    sent,
    files,
    next: (...more) => void faults.push(...more),
    endWindow: (userId) => void inWindow.delete(userId),
    post,
    async receive(url, { from, mid = newId(), forged, account: to, ...message }) {
      known.add(from);
      inWindow.add(from);
      const options = { ...(forged !== undefined && { forged }), ...(to !== undefined && { account: to }) };
      const status = await post(url, [{ sender: { id: from }, message: { mid, ...message } }], options);
      return { status, mid };
    },
    async handshake(url, verifyToken) {
      const challenge = String(Date.now());
      const query = { 'hub.mode': 'subscribe', 'hub.challenge': challenge, 'hub.verify_token': verifyToken };
      const response = await fetch(`${url}?${new URLSearchParams(query)}`);
      return response.status === 200 && (await response.text()) === challenge;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, status: number, content: object) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}

function refuse(
  response: ServerResponse,
  { status, code, subcode, message = 'Refused' }: Exclude<DirectFault, string>,
) {
  const error = { message: `(#${code}) ${message}`, type: 'OAuthException', code, error_subcode: subcode };
  answer(response, status, { error });
}

const newId = () => `m_${randomBytes(18).toString('base64url')}`;
