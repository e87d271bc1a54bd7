import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { Busboy } from '@fastify/busboy';
import { z } from 'zod';
import {
  type FakeTemplate,
  fileIn,
  type Refusal,
  refusalOf,
  SendBody,
  type SentTemplate,
  UPLOADED_TYPES,
} from './meta-templates.ts';

interface SentMessage {
  id: string;
  phoneNumberId: string;
  to: string;
  callbackData: string | undefined;
}

/** A template message that was accepted. */
export interface FakeMetaMessage extends SentMessage {
  template: SentTemplate;
}

/** A text that was accepted. */
export interface FakeMetaText extends SentMessage {
  text: string;
}

/** A file that was accepted, as it was uploaded. */
export interface FakeMetaFile extends SentMessage {
  kind: string;
  caption: string | undefined;
  name: string;
  mimeType: string;
  bytes: Buffer;
}

/** What happens to one send: a refusal without effect, a fault before or after the effect, or an answer that is late. */
export type MetaFault = Refusal | 'reset-before' | 'reset-after' | 'error-after' | { slowMs: number };

/** A change of a contact's message. `of`: the id of that message. */
interface ContactChange {
  of: string;
  id?: string;
  /** In seconds of Unix time. */
  timestamp?: string;
}

export interface FakeMeta {
  url: string;
  accessToken: string;
  appSecret: string;
  templates: FakeTemplate[];
  /** Every template message accepted, once, in order. */
  messages: FakeMetaMessage[];
  /** Every text accepted, once, in order. */
  texts: FakeMetaText[];
  /** Every file accepted in a message, once, in order. */
  sentFiles: FakeMetaFile[];
  /** What the coming uploads meet, one each. */
  nextUpload(...refusals: Refusal[]): void;
  /** What the coming sends meet, one each. */
  next(...faults: MetaFault[]): void;
  /** Posts what became of a message; answers with the status it got. A forged one is signed with another secret. */
  callback(
    url: string,
    message: SentMessage,
    status: 'sent' | 'delivered' | 'read' | 'failed',
    options?: { forged?: boolean; errors?: { code: number; title: string; details?: string }[] },
  ): Promise<number>;
  /** The files of messages by their ids. */
  files: Map<string, Buffer>;
  /** Looking files up takes until then. */
  holdFiles(until: Promise<void>): void;
  /** Posts a message of a contact to one of the numbers. */
  receive(
    url: string,
    message: { from: string; text: string; id?: string; forged?: boolean; to?: typeof PHONE_NUMBER },
  ): Promise<number>;
  /** Posts a message of a contact with this content. */
  receiveContent(
    url: string,
    from: string,
    content: { type: string; profile?: { name: string } } & Record<string, unknown>,
  ): Promise<number>;
  /** Posts a text of a user by WhatsApp's id, with the number only if the user shows it. */
  receiveFromUser(
    url: string,
    user: { user_id: string; wa_id?: string; profile?: { name?: string; username?: string } },
    text: string,
    fields?: object,
  ): Promise<number>;
  /** Posts a contact's edit of an earlier message, with its new content. */
  edit(
    url: string,
    from: string,
    edit: ContactChange & { content: { type: string } & Record<string, unknown> },
  ): Promise<number>;
  /** Posts a contact's deletion of an earlier message. */
  revoke(url: string, from: string, deletion: ContactChange): Promise<number>;
  /** Asks for the subscription, and says whether the challenge came back. */
  handshake(url: string, verifyToken: string): Promise<{ status: number; isConfirmed: boolean }>;
  close(): Promise<void>;
}

const PHONE_NUMBER = { display_phone_number: '15550783881', phone_number_id: '106540352242922' };

/**
 * WhatsApp's Cloud API over real HTTP, as strict as the real one. `fault` says what the nth send meets where `next`
 * scripted nothing.
 */
export async function startFakeMeta(
  templates: FakeTemplate[] = [],
  fault?: (n: number) => MetaFault | undefined,
): Promise<FakeMeta> {
  const [accessToken, appSecret] = [`EAAG${randomBytes(8).toString('hex')}`, randomBytes(8).toString('hex')];
  const messages: FakeMetaMessage[] = [];
  const texts: FakeMetaText[] = [];
  const sentFiles: FakeMetaFile[] = [];
  const uploads = new Map<string, Pick<FakeMetaFile, 'name' | 'mimeType' | 'bytes'>>();
  const uploadFaults: Refusal[] = [];
  const files: FakeMeta['files'] = new Map();
  const faults: MetaFault[] = [];
  let sends = 0;
  let filesHeld: Promise<void> | undefined;

  const writers = new Set<string>();
  const keyOf = (address: string) => (address.includes('.') ? address : digitsOf(address));
  /** A text is taken within 24 hours of the last message of whoever gets it. */
  const closedFor = (to: string): Refusal | undefined =>
    writers.has(keyOf(to)) ? undefined : { status: 400, code: 131047, message: 'Re-engagement message' };

  const take = async (request: IncomingMessage, response: ServerResponse, phoneNumberId: string, body: unknown) => {
    sends += 1;
    const met = faults.shift() ?? fault?.(sends);
    if (met === 'reset-before') return request.socket.resetAndDestroy();
    if (typeof met === 'object' && 'status' in met) return refuse(response, met);
    const sent = SendBody.safeParse(body);
    if (!sent.success) return refuse(response, { status: 400, code: 100, message: z.prettifyError(sent.error) });
    const { biz_opaque_callback_data: callbackData } = sent.data;
    const to = sent.data.to ?? sent.data.recipient;
    if (to === undefined) return refuse(response, { status: 400, code: 100, message: 'The parameter to is required.' });
    const refusal = sent.data.type === 'template' ? refusalOf(templates, sent.data.template) : closedFor(to);
    if (refusal !== undefined) return refuse(response, refusal);
    const sentFile = fileIn(sent.data);
    const uploaded = sentFile && uploads.get(sentFile.id);
    if (sentFile !== undefined && !UPLOADED_TYPES[sent.data.type]?.includes(uploaded?.mimeType ?? ''))
      return refuse(response, { status: 400, code: 131053, message: 'Media upload error' });

    const id = newId();
    const message = { id, phoneNumberId, to, callbackData };
    if (sent.data.type === 'template') messages.push({ ...message, template: sent.data.template });
    else if (sent.data.type === 'text') texts.push({ ...message, text: sent.data.text.body });
    else if (sentFile && uploaded)
      sentFiles.push({ ...message, kind: sent.data.type, caption: sentFile.caption, ...uploaded });
    if (met === 'reset-after') return request.socket.resetAndDestroy();
    if (met === 'error-after') return refuse(response, { status: 500, code: 131000, message: 'Something went wrong' });
    if (met !== undefined) await setTimeout(met.slowMs, undefined, { ref: false });
    const contacts = [{ input: to, ...(sent.data.to === undefined ? { user_id: to } : { wa_id: digitsOf(to) }) }];
    return answer(response, 200, { messaging_product: 'whatsapp', contacts, messages: [{ id }] });
  };

  const upload = async (request: IncomingMessage, response: ServerResponse) => {
    const form = await uploadOf(request);
    const refusal = uploadFaults.shift();
    if (refusal !== undefined) return refuse(response, refusal);
    const isTaken = Object.values(UPLOADED_TYPES).flat().includes(form.type);
    if (form.messaging_product !== 'whatsapp' || !isTaken || form.mimeType !== form.type)
      return refuse(response, { status: 400, code: 100, message: `Param file must be a file, not ${form.mimeType}` });
    const id = String(uploads.size + 1_000_000);
    uploads.set(id, form);
    return answer(response, 200, { id });
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://graph');
    const [, version, id = '', edge] = pathname.split('/');
    if (request.headers.authorization !== `Bearer ${accessToken}`) {
      const given = request.headers.authorization?.slice('Bearer '.length) ?? '';
      return refuse(response, { status: 401, code: 190, message: `Malformed access token ${given}` });
    }
    const isKnownVersion = version === 'v23.0';
    if (isKnownVersion && request.method === 'POST' && edge === 'media') return upload(request, response);
    let text = '';
    for await (const chunk of request) text += chunk;
    if (isKnownVersion && request.method === 'POST' && edge === 'messages') {
      return take(request, response, id, JSON.parse(text));
    }
    const file = files.get(id);
    if (file !== undefined) await filesHeld;
    if (file !== undefined && version === 'lookaside') return response.writeHead(200).end(file);
    if (file !== undefined && isKnownVersion) {
      const url = `http://${request.headers.host}/lookaside/${id}`;
      return answer(response, 200, { messaging_product: 'whatsapp', url, file_size: String(file.length), id });
    }
    const found = templates.find((template) => template.id === id);
    if (!isKnownVersion || request.method !== 'GET' || found === undefined) {
      return refuse(response, { status: 400, code: 100, message: `Unsupported request: '${id}' does not exist` });
    }
    const fields = new Set(['id', ...(searchParams.get('fields') ?? '').split(',')]);
    const shown = Object.entries({ status: 'APPROVED', parameter_format: 'POSITIONAL', ...found });
    return answer(response, 200, Object.fromEntries(shown.filter(([field]) => fields.has(field))));
  };

  const post = async (url: string, forged: boolean, value: object, metadata = PHONE_NUMBER) => {
    const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } };
    const body = escaped({
      object: 'whatsapp_business_account',
      entry: [{ id: '102290129340398', changes: [change] }],
    });
    const signature = createHmac('sha256', forged ? 'forged' : appSecret)
      .update(body)
      .digest('hex');
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };

  const receiveContent: FakeMeta['receiveContent'] = (url, from, { profile, ...content }) => {
    const message = { from: digitsOf(from), id: newId(), timestamp: now(), ...content };
    return post(url, false, { contacts: [{ wa_id: digitsOf(from), profile }], messages: [message] });
  };

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accessToken,
    appSecret,
    templates,
    messages,
    texts,
    sentFiles,
    nextUpload: (...more) => void uploadFaults.push(...more),
    files,
    holdFiles: (until) => {
      filesHeld = until;
    },
    next: (...more) => void faults.push(...more),
    callback: (url, { id, to, callbackData }, status, { forged = false, errors } = {}) => {
      const report = {
        id,
        status,
        timestamp: now(),
        recipient_id: digitsOf(to),
        biz_opaque_callback_data: callbackData,
      };
      const causes = errors?.map(({ details, ...rest }) => ({ ...rest, message: rest.title, error_data: { details } }));
      return post(url, forged, { statuses: [{ ...report, errors: causes }] });
    },
    receiveContent,
    receiveFromUser: (url, { user_id, wa_id, profile }, text, fields) => {
      writers.add(user_id);
      const sender = { from: wa_id, from_user_id: user_id, ...fields };
      const message = { ...sender, id: newId(), timestamp: now(), type: 'text', text: { body: text } };
      return post(url, false, { contacts: [{ wa_id, user_id, profile }], messages: [message] });
    },
    edit: (url, from, { of, content, id = newId(), timestamp = now() }) => {
      const edit = { original_message_id: of, message: content };
      return receiveContent(url, from, { type: 'edit', id, timestamp, edit });
    },
    revoke: (url, from, { of, id = newId(), timestamp = now() }) =>
      receiveContent(url, from, { type: 'revoke', id, timestamp, revoke: { original_message_id: of } }),
    receive: (url, { from, text, id = newId(), forged = false, to }) => {
      if (!forged) writers.add(digitsOf(from));
      const message = { from: digitsOf(from), id, timestamp: now(), type: 'text', text: { body: text } };
      return post(url, forged, { contacts: [{ wa_id: digitsOf(from) }], messages: [message] }, to);
    },
    handshake: async (url, verifyToken) => {
      const challenge = String(Date.now());
      const query = { 'hub.mode': 'subscribe', 'hub.challenge': challenge, 'hub.verify_token': verifyToken };
      const response = await fetch(`${url}?${new URLSearchParams(query)}`);
      return { status: response.status, isConfirmed: (await response.text()) === challenge };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Reads the form of an upload. */
async function uploadOf(request: IncomingMessage) {
  const form = { messaging_product: '', type: '', name: '', mimeType: '', bytes: Buffer.alloc(0) };
  const parser = new Busboy({ headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' } });
  parser.on('field', (field, value) => Object.assign(form, { [field]: value }));
  parser.on('file', (_field, stream, name, _encoding, mimeType) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => Object.assign(form, { name, mimeType, bytes: Buffer.concat(chunks) }));
  });
  await pipeline(request, parser);
  return form;
}

function answer(response: ServerResponse, status: number, content: object, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(content));
}

function refuse(response: ServerResponse, { status, code, message = 'Refused', details, retryAfter }: Refusal) {
  const error = { message: `(#${code}) ${message}`, type: 'OAuthException', code, error_data: { details } };
  const headers = retryAfter === undefined ? undefined : { 'retry-after': retryAfter };
  answer(response, status, code === undefined ? {} : { error }, headers);
}

const newId = () => `wamid.${randomBytes(18).toString('base64')}`;
const digitsOf = (number: string) => number.replace(/\D/g, '');
const now = () => String(Math.floor(Date.now() / 1000));

/** Meta signs and sends its JSON with escapes: a body parsed and written again would not verify. */
const escaped = (content: object) =>
  JSON.stringify(content)
    .replaceAll('/', '\\/')
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
