import { generateKeyPairSync, randomBytes, randomUUID, verify } from 'node:crypto';
import { type Answer, type Fault, type ReceivedRequest, startFaultyServer } from './faulty-server.ts';

export interface SalesforceEntry {
  identifier: string;
  entryType: string;
  entryPayload: string;
  sender: { role: string; subject: string };
  senderDisplayName: string | null;
  transcriptedTimestamp: number;
  clientTimestamp: number;
}

export interface SalesforceConversation {
  id: string;
  /** Who opened it. */
  subject: string;
  routingAttributes: Record<string, string>;
  entries: SalesforceEntry[];
}

export interface Said {
  role?: string;
  name?: string;
  /** In milliseconds. */
  at?: number;
  id?: string;
  /** In place of a text message. */
  payload?: unknown;
}

type Operation = 'guest' | 'verified' | 'continuation' | 'open' | 'message' | 'entries';
export type FakeSalesforce = Awaited<ReturnType<typeof startFakeSalesforce>>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MAX_ENTRIES = 50;
const refusal = (status: number, message: string): Answer => ({
  status,
  body: { timestamp: Date.now(), code: status * 100, message, errorCode: String(status), status },
});
export const salesforceRefuses = (status: number, message: string): Fault => ({
  answer: refusal(status, message),
  when: 'before',
});
const textPayload = (id: string, text: string) => ({
  entryType: 'Message',
  id,
  abstractMessage: { messageType: 'StaticContentMessage', id, staticContent: { formatType: 'Text', text } },
});

/**
 * The API of Messaging for In-App and Web, version 2, as strict as the real one. Whatever is sent beside what it knows
 * is refused.
 */
export async function startFakeSalesforce({
  lifeSeconds = 3_600,
  isStartListed = true,
}: {
  lifeSeconds?: number;
  isStartListed?: boolean;
} = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [orgId, esDeveloperName, keyId] = ['00D000000000001', 'Web_Chat', 'switchboard-key'];
  const conversations = new Map<string, SalesforceConversation>();
  const tokens = new Map<string, { subject: string; expiresAt: number }>();
  const faults = new Map<Operation, Fault[]>();
  const requests: (ReceivedRequest & { operation: Operation | undefined })[] = [];
  let life = lifeSeconds;
  let extendsGuests = false;

  const issue = (subject: string, expiresAt = Date.now() + life * 1_000): Answer => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { sub: subject, exp: Math.floor(expiresAt / 1_000), jti: randomUUID() };
    const token = `${part({ alg: 'RS256' })}.${part(claims)}.${randomBytes(16).toString('base64url')}`;
    tokens.set(token, { subject, expiresAt });
    return { status: 200, body: { accessToken: token, lastEventId: '0', context: { configuration: {} } } };
  };

  const deploymentError = (body: Record<string, unknown>, more: string[] = []): string | undefined => {
    const { capabilitiesVersion, platform } = body;
    const known = ['orgId', 'esDeveloperName', 'capabilitiesVersion', 'platform', 'deviceId', 'context', ...more];
    const unknown = Object.keys(body).find((field) => !known.includes(field));
    if (unknown !== undefined) return `Unrecognized field "${unknown}"`;
    if (capabilitiesVersion !== '1' || platform !== 'Web') return 'capabilitiesVersion and platform are required';
    if (body.orgId !== orgId || body.esDeveloperName !== esDeveloperName)
      return 'Embedded Service deployment not found';
    return undefined;
  };

  const guest = (body: Record<string, unknown>): Answer => {
    const error = deploymentError(body);
    return error === undefined ? issue(`guest/${randomUUID()}`) : refusal(400, error);
  };

  const verified = (body: Record<string, unknown>): Answer => {
    const error = deploymentError(body, ['authorizationType', 'customerIdentityToken']);
    if (error !== undefined) return refusal(400, error);
    if (body.authorizationType !== 'JWT') return refusal(400, 'authorizationType must be JWT');
    const [header = '', claims = '', signature = ''] = String(body.customerIdentityToken).split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString() || '{}');
    const { alg, typ, kid } = read(header);
    const { sub, iss, exp } = read(claims);
    const isSigned = verify(
      'RSA-SHA256',
      Buffer.from(`${header}.${claims}`),
      publicKey,
      Buffer.from(signature, 'base64url'),
    );
    const isGood = alg === 'RS256' && typ === 'JWT' && kid === keyId && isSigned;
    if (!isGood || iss !== 'switchboard' || typeof sub !== 'string' || !(exp > Date.now() / 1_000))
      return refusal(401, 'The customer identity token is not valid');
    return issue(`uid:${sub}`);
  };

  const subjectOf = ({ headers }: ReceivedRequest): string | undefined => {
    const [, token = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
    const known = tokens.get(token);
    return known !== undefined && known.expiresAt > Date.now() ? known.subject : undefined;
  };

  const open = (subject: string, body: Record<string, unknown>): Answer => {
    const { conversationId, esDeveloperName: deployment, routingAttributes = {}, ...others } = body;
    if (Object.keys(others).length > 0) return refusal(400, `Unrecognized field "${Object.keys(others)[0]}"`);
    if (deployment !== esDeveloperName) return refusal(400, 'esDeveloperName is not valid');
    if (typeof conversationId !== 'string' || !UUID.test(conversationId))
      return refusal(400, 'conversationId must be a UUID');
    const attributes = routingAttributes as Record<string, unknown>;
    if (Object.values(attributes).some((value) => typeof value !== 'string' || value.length > 255))
      return refusal(400, 'routingAttributes must be strings of at most 255 characters');
    if (conversations.has(conversationId)) return refusal(409, 'Conversation exists');
    conversations.set(conversationId, {
      id: conversationId,
      subject,
      routingAttributes: attributes as Record<string, string>,
      entries: [],
    });
    return { status: 201 };
  };

  const add = (conversation: SalesforceConversation, entry: Omit<SalesforceEntry, 'clientTimestamp' | 'entryType'>) =>
    void conversation.entries.push({
      ...entry,
      entryType: 'Message',
      clientTimestamp: entry.transcriptedTimestamp,
    });

  const take = (conversation: SalesforceConversation, body: Record<string, unknown>): Answer => {
    const { message, esDeveloperName: deployment, ...others } = body;
    const unknown = Object.keys(others).find(
      (field) => !['routingAttributes', 'isNewMessagingSession', 'language'].includes(field),
    );
    if (unknown !== undefined) return refusal(400, `Unrecognized field "${unknown}"`);
    if (deployment !== esDeveloperName) return refusal(400, 'esDeveloperName is not valid');
    const { id, messageType, staticContent } = (message ?? {}) as {
      id?: string;
      messageType?: string;
      staticContent?: { formatType?: string; text?: string };
    };
    if (id === undefined || !UUID.test(id)) return refusal(400, 'message.id must be a UUID');
    if (messageType !== 'StaticContentMessage' || staticContent?.formatType !== 'Text' || !staticContent.text)
      return refusal(400, 'message is not a text message');
    if (conversation.entries.some(({ identifier }) => identifier === id)) return refusal(409, 'Message exists');
    add(conversation, {
      identifier: id,
      entryPayload: JSON.stringify(textPayload(id, staticContent.text)),
      sender: { role: 'EndUser', subject: conversation.subject },
      senderDisplayName: 'Guest',
      transcriptedTimestamp: Date.now(),
    });
    return { status: 202, body: { conversationEntries: [{ id, clientTimestamp: Date.now() }] } };
  };

  const list = ({ entries }: SalesforceConversation, query: URLSearchParams): Answer => {
    const limit = Number(query.get('limit') ?? 20);
    const start = Number(query.get('startTimestamp') ?? 0);
    if (!(limit >= 1 && limit <= MAX_ENTRIES)) return refusal(400, 'limit must be 1 to 50');
    if (!Number.isInteger(start) || start < 0) return refusal(400, 'startTimestamp is not valid');
    if (query.get('direction') !== 'FromStart') return refusal(400, 'only FromStart is played here');
    const found = entries
      .toSorted((a, b) => a.transcriptedTimestamp - b.transcriptedTimestamp)
      .filter(({ transcriptedTimestamp: at }) => (isStartListed ? at >= start : at > start))
      .filter(({ entryType }) => [null, entryType].includes(query.get('entryTypeFilter')));
    return { status: 200, body: { conversationEntries: found.slice(0, limit) } };
  };

  const operationOf = ({ method, url: { pathname } }: ReceivedRequest): Operation | undefined => {
    const path = pathname.replace('/iamessage/api/v2', '');
    if (method === 'POST' && path === '/authorization/unauthenticated/access-token') return 'guest';
    if (method === 'POST' && path === '/authorization/authenticated/access-token') return 'verified';
    if (method === 'GET' && path === '/authorization/continuation-access-token') return 'continuation';
    if (method === 'POST' && path === '/conversation') return 'open';
    if (method === 'POST' && /^\/conversation\/[^/]+\/message$/.test(path)) return 'message';
    if (method === 'GET' && /^\/conversation\/[^/]+\/entries$/.test(path)) return 'entries';
    return undefined;
  };

  const perform = (request: ReceivedRequest): Answer => {
    const operation = operationOf(request);
    if (operation === undefined) return refusal(404, `No such resource: ${request.url.pathname}`);
    const isJson = request.headers['content-type'] === 'application/json';
    if (request.method === 'POST' && !isJson) return refusal(415, 'Content type not supported');
    const body = request.method === 'POST' ? JSON.parse(request.body) : {};
    if (operation === 'guest') return guest(body);
    if (operation === 'verified') return verified(body);
    const subject = subjectOf(request);
    if (subject === undefined) return refusal(401, 'The access token is not valid');
    if (operation === 'continuation') {
      const token = String(request.headers.authorization).slice('Bearer '.length);
      return issue(subject, extendsGuests ? undefined : tokens.get(token)?.expiresAt);
    }
    if (operation === 'open') return open(subject, body);
    const conversation = conversations.get(request.url.pathname.split('/')[5] ?? '');
    if (conversation === undefined) return refusal(404, 'Conversation not found');
    if (conversation.subject !== subject) return refusal(403, 'Not a participant of the conversation');
    return operation === 'message' ? take(conversation, body) : list(conversation, request.url.searchParams);
  };

  const server = await startFaultyServer(perform, (request) => {
    const operation = operationOf(request);
    requests.push({ ...request, operation });
    return operation && faults.get(operation)?.shift();
  });

  return {
    ...server,
    conversations,
    /** As PUT /integrations/miaw takes them. */
    settings: { base_url: server.url, org_id: orgId, es_developer_name: esDeveloperName },
    /** With these every end user is verified. */
    verification: {
      auth_key_id: keyId,
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
    tokens: () => [...tokens.keys()],
    /** The requests of an operation so far. */
    requests: (operation: Operation) => requests.filter((request) => request.operation === operation),
    /** What the coming requests of an operation meet, one each. */
    next: (operation: Operation, ...more: Fault[]) =>
      void faults.set(operation, [...(faults.get(operation) ?? []), ...more]),
    /** Every token that was issued is refused from now on. */
    expireTokens() {
      for (const token of tokens.values()) token.expiresAt = 0;
    },
    /** Continuation tokens last as long as new ones from now on. */
    extendGuests() {
      extendsGuests = true;
    },
    /** Of tokens that are issued from now on. */
    setLife(seconds: number) {
      life = seconds;
    },
    /** An agent, or somebody else, says something in a conversation. Gives the entry's id. */
    say(conversationId: string, text: string, { role = 'Agent', name = 'Grace', at, id, payload }: Said = {}): string {
      const conversation = conversations.get(conversationId);
      if (conversation === undefined) throw new Error('No such conversation');
      const identifier = id ?? randomUUID();
      add(conversation, {
        identifier,
        entryPayload: JSON.stringify(payload ?? textPayload(identifier, text)),
        sender: { role, subject: name },
        senderDisplayName: name,
        transcriptedTimestamp: at ?? Date.now(),
      });
      return identifier;
    },
    /** What the end user said, in the order in which it came. */
    heard: (conversationId: string): string[] =>
      (conversations.get(conversationId)?.entries ?? [])
        .filter(({ sender }) => sender.role === 'EndUser')
        .map(({ entryPayload }) => JSON.parse(entryPayload).abstractMessage.staticContent.text),
  };
}
