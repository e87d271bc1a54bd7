import { fastify } from 'fastify';
import { z } from 'zod';
import { representations } from '../../src/api/edge/representations.ts';
import { NoBody } from '../../src/schemas/parts.ts';
import { type SignedIn, signIn } from '../sign-in/signing-in.ts';
import { type Answer, type Client, startApi, type TestApi } from '../support/stack/api.ts';

type Method = 'post' | 'put' | 'patch';
interface Update {
  method: Method;
  path: string;
  body?: object;
  /** Where the resource is read. */
  resource: string;
}

interface Described {
  operationId: string;
  parameters?: { $ref?: string }[];
  responses: Record<string, { content?: object }>;
}

const PREFER = { headers: { prefer: 'respond-async, Return="Representation"; x=1' } };
const SHIFTS = [{ day_of_week: 'monday_to_friday', start_time: '09:00:00', end_time: '17:00:00' }];
const NOWHERE = '01890a5d-ac96-774b-bcce-b302099a8057';

let api: TestApi;
let member: SignedIn;
let operations: (Described & { method: string })[];
beforeAll(async () => {
  api = await startApi();
  member = await signIn(api, 'admin');
  const { paths } = (await api.client().get('/openapi.json')).body as {
    paths: Record<string, Record<string, Described>>;
  };
  operations = Object.values(paths).flatMap((path) =>
    Object.entries(path).map(([method, operation]) => ({ ...operation, method })),
  );
});
afterAll(() => api.close());

const made = async (answer: Promise<Answer>) => {
  const { status, body } = await answer;
  if (status > 201) throw new Error(JSON.stringify(body));
  return body;
};
const newContact = async () =>
  made(api.org.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com` } }));
const newSession = async () => `/chat/sessions/${(await made(api.org.post('/chat/sessions', {}))).id}`;

async function sequenceAfter(command: string, ...before: string[]): Promise<Update> {
  const sequence = { name: 'Welcome', is_continuous: false, filter: null, steps: [STEP] };
  const path = `/sequences/${(await made(api.org.post('/sequences', sequence))).id}`;
  for (const one of before) await made(api.org.put(`${path}/${one}`));
  return { method: 'put', path: `${path}/${command}`, resource: path };
}
const STEP = {
  delay_in_minutes: 0,
  action: {
    type: 'send_emails',
    data: {
      email_body: 'Hello',
      from_email: 'hello@acme.example',
      email_subject: 'Welcome',
      email_sender_name: 'Acme',
      email_is_transactional: true,
    },
  },
};

async function runBefore(command: string): Promise<Update> {
  const input = { url: 'https://shop.example', method: 'POST' };
  const call = { $kind: 'Action', id: 'call', type: 'send-webhook', name: 'Call', input };
  const workflow = { name: 'Call', trigger_type: 'manual-trigger', workflow_blocks: [call] };
  const { workflow_id: id } = await made(api.org.post('/workflows', workflow));
  await made(api.org.post(`/workflows/${id}/activate`));
  const { run_id } = await made(api.org.post(`/workflows/${id}/trigger`, { input: {} }));
  if (command === 'retry') await failRun(run_id);
  const resource = `/workflows/${id}/runs/${run_id}`;
  return { method: 'post', path: `${resource}/${command}`, resource };
}

/** Fails a run at its first step, as the worker does. */
async function failRun(id: string): Promise<void> {
  const { org, db } = api;
  await db
    .updateTable('automation_runs')
    .set({ status: 'failed' })
    .where('org_id', '=', org.id)
    .where('id', '=', id)
    .execute();
  const step = {
    org_id: org.id,
    run_id: id,
    path: '0',
    step_id: 'call',
    type: 'send-webhook',
    status: 'failed' as const,
  };
  await db.insertInto('automation_steps').values(step).execute();
}

const ofSession =
  (method: Method, command: string, body: object = {}) =>
  async (): Promise<Update> => {
    const resource = await newSession();
    return { method, path: resource + command, body, resource };
  };

/** Every update that answers without a body, and what it updates. */
const UPDATES: Record<string, () => Promise<Update>> = {
  updateContact: async () => {
    const path = `/contacts/${(await newContact()).id}`;
    return { method: 'patch', path, body: { contact: { name: 'Ada' } }, resource: path };
  },
  startSequence: () => sequenceAfter('start'),
  pauseSequence: () => sequenceAfter('pause', 'start'),
  resumeSequence: () => sequenceAfter('resume', 'start', 'pause'),
  cancelSequence: () => sequenceAfter('cancel', 'start'),
  updateOfficeHours: async () => {
    const hours = { name: 'Berlin', iana_timezone: 'Europe/Berlin', shifts: SHIFTS };
    const { id, shifts } = await made(api.org.post('/office-hours', hours));
    const path = `/office-hours/${id}`;
    return { method: 'put', path, body: { ...hours, name: 'Hamburg', shifts }, resource: path };
  },
  upsertTag: async () => ({ method: 'put', path: '/tags', body: { tag_name: 'refund' }, resource: '/tags' }),
  updateAutoTagging: async () => ({
    ...{ method: 'put', path: '/tags/auto-tagging', body: { enabled: true }, resource: '/tags/auto-tagging' },
  }),
  readMyNotifications: async () => ({
    ...{ method: 'post', path: '/me/notifications/read', body: { before: '2026-01-01T00:00:00Z' } },
    resource: '/me/notifications',
  }),
  updateChatSession: ofSession('patch', '', { status: 'closed_resolved' }),
  assignChatSession: ofSession('post', '/assign', { assignee_id: null }),
  addChatSessionTags: async () => {
    await made(api.org.put('/tags', { tag_name: 'refund' }));
    return ofSession('post', '/tags', { tags: ['refund'] })();
  },
  returnChatSessionToAi: ofSession('post', '/return-to-ai'),
  cancelWorkflowRun: () => runBefore('cancel'),
  retryWorkflowRun: () => runBefore('retry'),
};

/** Operations other than DELETE that answer without a body whatever is preferred, and why. */
const WITHOUT_RESOURCE: Record<string, string> = {
  blockContact: 'what is blocked is read in lists alone',
  logOut: 'the caller has nothing any more',
  switchMyOrg: 'the caller becomes another',
  setMyPresence: 'nothing is stored',
};

const send = ({ method, path, body }: Update, by: Client, options?: { headers: Record<string, string> }) =>
  by[method](path, body, options);

describe('an update that answers without a body', () => {
  it.each(Object.entries(UPDATES))('%s answers what GET of its resource does, as preferred', async (_, prepare) => {
    const plain = await send(await prepare(), member);
    expect([plain.status, plain.body, plain.headers.get('preference-applied')]).toEqual([200, '', null]);
    const update = await prepare();
    const { status, body, headers } = await send(update, member, PREFER);
    expect([status, headers.get('preference-applied')]).toEqual([200, 'return=representation']);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual((await member.get(update.resource)).body);
  });

  it('is named in the document, with the header; others that answer nothing have no resource', () => {
    const taking = operations.filter(({ parameters = [] }) =>
      parameters.some(({ $ref }) => $ref?.endsWith('HeaderPrefer')),
    );
    expect(taking.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(UPDATES).toSorted());
    const silent = operations.filter(
      ({ method, responses }) =>
        !['get', 'delete'].includes(method) &&
        ['200', '204'].some((status) => responses[status] && isEmpty(responses[status])),
    );
    const ids = [...Object.keys(UPDATES), ...Object.keys(WITHOUT_RESOURCE)];
    expect(silent.map(({ operationId }) => operationId).toSorted()).toEqual(ids.toSorted());
  });
});

const isEmpty = ({ content }: { content?: object }) => content === undefined;

describe('an answer with a representation', () => {
  const contactPath = async () => `/contacts/${(await newContact()).id}`;
  const change = { contact: { name: 'Ada' } };

  it('is not for a key that may write and not read', async () => {
    const path = await contactPath();
    const writer = await api.org.withScopes('contacts:write');
    const { status, body, headers } = await writer.patch(path, change, PREFER);
    expect([status, body, headers.get('preference-applied')]).toEqual([200, '', null]);
    expect((await api.org.get(path)).body.name).toBe('Ada');
  });

  it('is not given where a minimal one is preferred, or nothing that is known', async () => {
    const path = await contactPath();
    const of = async (prefer: string) => {
      const { body, headers } = await api.org.patch(path, change, { headers: { prefer } });
      return [body, headers.get('preference-applied')];
    };
    expect(await of('return=minimal, return=representation')).toEqual(['', 'return=minimal']);
    expect(await of('return=everything')).toEqual(['', null]);
    expect(await of('wait=1')).toEqual(['', null]);
  });

  it('names every preference that was followed', async () => {
    const prefer = 'handling=lenient, return=representation';
    const { body, headers } = await api.org.patch(await contactPath(), { ...change, nmae: 1 }, { headers: { prefer } });
    expect([body.name, headers.get('preference-applied')]).toEqual(['Ada', 'handling=lenient, return=representation']);
  });

  it('is not in place of a refusal', async () => {
    const { status, body } = await api.org.patch(`/contacts/${NOWHERE}`, change, PREFER);
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect((await api.other.patch(await contactPath(), change, PREFER)).status).toBe(404);
  });

  it('has what is stored now if the request is repeated by its Idempotency-Key', async () => {
    const path = await newSession();
    const assign = (assignee_id: number | null) =>
      api.org.post(
        `${path}/assign`,
        { assignee_id },
        { headers: { ...PREFER.headers, 'idempotency-key': 'assign-1' } },
      );
    expect((await assign(member.id)).body.assignee_id).toBe(member.id);
    await api.org.patch(path, { status: 'closed_resolved' });
    const { body, headers } = await assign(member.id);
    expect([headers.get('idempotent-replayed'), body.status]).toEqual(['true', 'closed_resolved']);
    expect((await assign(null)).status).toBe(422);
  });

  it('is not in place of an update that is done, where reading fails', async () => {
    const app = fastify({ logger: false });
    app.setValidatorCompiler(() => () => true);
    app.setSerializerCompiler(() => (answer) => JSON.stringify(answer) ?? '');
    app.decorateRequest('org');
    app.addHook('onRequest', async (request) => void Object.assign(request, { org: { scopes: null } }));
    await app.register(representations);
    const params = z.object({ id: z.literal('of no thing') });
    const config = { scope: 'any' as const };
    app.get('/things/:id', { schema: { params, response: { 200: z.object({}) } }, config }, async () => ({}));
    app.put('/things/:id', { schema: { response: { 200: NoBody } }, config }, async () => undefined);
    const { statusCode, body } = await app.inject({ method: 'PUT', url: '/things/1', ...PREFER });
    expect([statusCode, body]).toEqual([200, '']);
    const known = await app.inject({ method: 'PUT', url: '/things/of%20no%20thing', ...PREFER });
    expect([known.statusCode, known.body]).toEqual([200, '{}']);
    await app.close();
  });
});
