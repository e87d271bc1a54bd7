import { randomBytes } from 'node:crypto';
import { type Answer, type Fault, type ReceivedRequest, startFaultyServer } from '../faulty-server.ts';
import { createFakeCrm } from './crm.ts';
import { hubspotError } from './objects.ts';
import { createFakeThreads, type FakeMessage, type NewMessage } from './threads.ts';
import { PORTAL_ID } from './webhooks.ts';

type Path = string | RegExp;

/** A request as it came, with the status of its answer; undefined where the connection was cut. */
export interface LoggedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
  status: number | undefined;
  at: number;
}

/** What the app has been granted. */
export interface FakeGrant {
  client_id: string;
  client_secret: string;
  refresh_token: string;
}

/** No two of a test have an id in common, as no two accounts of HubSpot have. */
let latestId = 500;

export type FakeHubspot = Awaited<ReturnType<typeof startFakeHubspot>>;

/** A refusal in HubSpot's words, without effect. */
export const refuses = (
  status: number,
  message: string,
  extra: object = {},
  headers: Record<string, string> = {},
): Fault => ({ answer: { ...hubspotError(status, message, extra), headers }, when: 'before' });

/** A refusal by a limit of requests. */
export const limited = (policyName: string, headers: Record<string, string> = {}): Fault =>
  refuses(429, `You have reached your ${policyName} limit.`, { errorType: 'RATE_LIMIT', policyName }, headers);

/**
 * HubSpot's CRM, Conversations and OAuth APIs over real HTTP, as strict as the real ones. What tests change in `crm` or
 * the threads is what the next request finds. `faultOf`: what requests meet for which no fault was scripted.
 */
export async function startFakeHubspot(faultOf: (request: ReceivedRequest) => Fault | undefined = () => undefined) {
  const newId = () => String(++latestId);
  const crm = createFakeCrm(newId);
  const conversations = createFakeThreads(newId);
  const accessToken = `pat-na1-${randomBytes(12).toString('hex')}`;
  const tokens = new Set([accessToken]);
  const grant: FakeGrant = { client_id: 'client-1', client_secret: 'secret-of-app', refresh_token: 'refresh-1' };
  const oauth = { grant, expiresIn: 1_800, isRotating: false, paths: ['/oauth/v1/token', '/oauth/v3/token'] };
  const account = { portalId: PORTAL_ID };
  const log: LoggedRequest[] = [];
  const scripts: { method: string; path: Path; fault: Fault }[] = [];

  const issueToken = ({ headers, body }: ReceivedRequest): Answer => {
    if (headers['content-type'] !== 'application/x-www-form-urlencoded') return hubspotError(415, 'Unsupported');
    const form = Object.fromEntries(new URLSearchParams(body));
    if (form.grant_type !== 'refresh_token') return hubspotError(400, 'unsupported grant_type');
    if (form.client_id !== oauth.grant.client_id || form.client_secret !== oauth.grant.client_secret)
      return hubspotError(400, 'missing or unknown client', { status: 'BAD_CLIENT_SECRET' });
    if (form.refresh_token !== oauth.grant.refresh_token)
      return hubspotError(400, 'missing or invalid refresh token', { status: 'BAD_REFRESH_TOKEN' });
    if (oauth.isRotating) oauth.grant = { ...oauth.grant, refresh_token: `refresh-${newId()}` };
    const token = `oauth-${randomBytes(12).toString('hex')}`;
    tokens.add(token);
    const { refresh_token } = oauth.grant;
    return {
      status: 200,
      body: { token_type: 'bearer', access_token: token, refresh_token, expires_in: oauth.expiresIn },
    };
  };

  const isAllowed = ({ headers }: ReceivedRequest) => tokens.has(headers.authorization?.replace(/^Bearer /, '') ?? '');

  const answerTo = (request: ReceivedRequest): Answer => {
    if (oauth.paths.includes(request.url.pathname) && request.method === 'POST') return issueToken(request);
    if (request.url.pathname.startsWith('/oauth/')) return hubspotError(404, 'resource not found');
    if (!isAllowed(request))
      return hubspotError(401, 'Authentication credentials not found', { category: 'INVALID_AUTHENTICATION' });
    const isJson = request.headers['content-type'] === 'application/json';
    if (request.method !== 'GET' && !isJson) return hubspotError(415, 'Unsupported Media Type');
    if (request.url.pathname === '/account-info/v3/details')
      return { status: 200, body: { portalId: account.portalId } };
    return crm.handle(request) ?? conversations.handle(request) ?? hubspotError(404, 'resource not found');
  };

  const server = await startFaultyServer(
    (request) => {
      const answer = answerTo(request);
      const entry = log.at(-1);
      if (entry?.status === 0) entry.status = answer.status;
      return answer;
    },
    (request) => {
      const { method, url, body } = request;
      const index = scripts.findIndex((script) => script.method === method && isAt(url.pathname, script.path));
      const fault = index < 0 ? faultOf(request) : scripts.splice(index, 1)[0]?.fault;
      const json = request.headers['content-type'] === 'application/json';
      log.push({
        method,
        path: url.pathname,
        query: url.searchParams,
        body: json ? JSON.parse(body) : body,
        status: fault !== undefined && 'answer' in fault ? fault.answer.status : statusToCome(fault),
        at: Date.now(),
      });
      return fault;
    },
  );

  return {
    ...server,
    accessToken,
    oauth,
    account,
    crm: crm.state,
    threads: conversations.threads,
    /** What the coming requests to a path meet, one each. */
    next: (method: string, path: Path, ...faults: Fault[]) =>
      void scripts.push(...faults.map((fault) => ({ method, path, fault }))),
    /** What was asked for so far, in order. */
    requests: (method?: string, path?: Path) =>
      log.filter((one) => (method ?? one.method) === one.method && (path === undefined || isAt(one.path, path))),
    /** Opens a thread without messages, with a contact or nobody. */
    openThread: (contactId?: string) => {
      const id = newId();
      conversations.threads.set(id, []);
      if (contactId !== undefined) conversations.contacts.set(id, contactId);
      return id;
    },
    addMessage: (threadId: string, message?: NewMessage): FakeMessage => conversations.add(threadId, message),
    assignees: conversations.assignees,
    addContact: (properties: Record<string, string>) => crm.add('contacts', properties),
    addTicket: (properties: Record<string, string>, contactId?: string) =>
      crm.add('tickets', properties, contactId === undefined ? [] : [contactId]),
    addNote: (properties: Record<string, string>, ticketIds: string[]) => crm.add('notes', properties, ticketIds),
    ticket: (id: string) => crm.state.tickets.find((ticket) => ticket.id === id),
    /** Takes this token no more. */
    revoke: (token: string) => tokens.delete(token),
    /** Takes this token again. */
    restore: (token: string) => tokens.add(token),
  };
}

/** Zero until the request is performed; undefined where no answer comes. */
const statusToCome = (fault: Fault | undefined) => (fault !== undefined && 'reset' in fault ? undefined : 0);

const isAt = (pathname: string, path: Path) => (typeof path === 'string' ? pathname === path : path.test(pathname));
