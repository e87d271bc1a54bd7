import { addServer } from '../../src/actions/mcp/service.ts';
import { openSession } from '../../src/conversations/sessions/service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { formWith } from '../media/samples.ts';
import { type FakeFareHarbor, startFakeFareHarbor } from '../support/fakes/fareharbor.ts';
import { addMessage } from '../support/messages.ts';
import { type Answer, type Client, startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';
import { verified } from '../widget/client.ts';
import { type Document, type Operation, type Place, pathTo, readDocument } from './document.ts';
import { fillTables } from './fill-tables.ts';
import { call, checksums, fill, idsOf, isNumeric, numberPlaces, startBigintsHigh } from './filling.ts';
import { NOWHERE } from './nowhere.ts';
import { inParallel } from './parallel.ts';

const MARK_OF_A = 'mark-of-a-51c0';
const MARK_OF_B = 'mark-of-b-94e7';
const PHONE_OF_B = '+14155550199';
/** Shorter ids may occur in answers by chance. */
const TELLING_LENGTH = 9;
const ID_NAME = /(^|_)(id|ids|key|token)$|[a-z]Ids?$/;
const IS_LONG = process.env.TEST_TIER === 'long';
const SWAP_TIMEOUT_MS = IS_LONG ? 3_600_000 : 600_000;
/** Of the pairs of a place in a query or body and an id, the short tier tries every twentieth: each place, each id. */
const SHARE_OF_PAIRS = IS_LONG ? 1 : 20;
/** Of the ids at a second place of a path, the short tier tries every third, others in each operation. */
const SHARE_OF_SECONDS = IS_LONG ? 1 : 3;
/** Tables that no creating route fills. */
const OTHER_TABLES = [
  'help_center_answers',
  'help_center_feedback',
  'phone_numbers',
  'mcp_confirmations',
  'csat_surveys',
  'dashboard_sessions',
  'session_reads',
  'drafts',
  'notifications',
  'session_jobs',
  'session_job_items',
  'delivery_jobs',
  'delivery_job_items',
  'run_jobs',
  'run_job_items',
  'contact_imports',
  'contact_merges',
  'exports',
  'contact_import_refusals',
  'imports',
  'import_findings',
  'imported_records',
  'idempotency_keys',
  'delivery_callbacks',
  'automation_events',
  'outbox_claims',
  'automation_received_events',
  'handoff_holds',
  'automation_retries',
  'automation_steps',
  'action_calls',
  'crawl_changes',
  'crm_rate_limits',
  'crm_due_stages',
  'crm_handoff_parts',
  'crm_links',
  'crm_messages',
  'crm_tokens',
  'due_work',
  'sequence_attempts',
  'email_inboxes',
  'inbound_emails',
  'inbound_email_parts',
  'phone_calls_under_way',
  'knowledge_embeddings',
  'knowledge_searched_models',
  'knowledge_vocabularies',
  'miaw_conversations',
  'inactivity_clocks',
  'sender_rates',
  'session_slas',
  'sla_clocks',
  'ai_turns',
  'ai_steps',
  'ai_claims',
  'ai_model_calls',
  'ai_usage',
  'ai_calls',
  'ai_tag_suggestions',
  'ai_summaries',
  'ai_budget_notices',
  'whatsapp_users',
  'channel_users',
  'session_threads',
  'webhook_deliveries',
  'webhook_sequences',
  'webhook_attempts',
  'insights',
  'insights',
  'insight_statements',
  'insight_sessions',
  'insight_extractions',
  'insight_centroids',
  'insight_spaces',
  'insight_terms',
  'insight_counters',
  'insight_operations',
  'insight_moves',
  'insight_proposals',
  'ai_workflow_tools',
  'sequence_forecasts',
];
/** The tag in the example of POST /chat/sessions/{id}/tags. */
const TAG_OF_EXAMPLE = 'refund';
/** What is published has a first version. Its number is no id. */
const FIRST_VERSION = '1';
const SENT_NOWHERE = '';
/** They need a draft of the AI and a mail with pictures, which no route creates. Foreign ids are tried where these are made. */
const TRIED_ELSEWHERE = [
  'POST /contacts/{id}/merge', // test/contacts/merging/merging.test.ts: its body names a second contact
  'POST /chat/sessions/{id}/drafts/{draftId}/send', // test/crm/hubspot/ai.test.ts
  'GET /chat/sessions/{id}/messages/{messageId}/pictures/{position}', // test/deliveries/inbound/inboxes.test.ts
  'PUT /phone/numbers/{id}', // test/phone-agents/numbers.test.ts: the numbers are those of a voice platform
  'DELETE /phone/numbers/{id}',
  'POST /hooks/forms/{workflow_id}/{token}', // test/automations/triggers/webhooks.test.ts: each form has fields of its own
  'GET /sequences/{id}/explain', // test/sequences/why-not.test.ts: it names a contact in its query
  'GET /actions/mcp/{name}', // test/actions/mcp/mcp-servers.test.ts: a name is unique in its org alone
  'PATCH /actions/mcp/{name}',
  'DELETE /actions/mcp/{name}',
  'POST /actions/mcp/{name}/refresh',
  'POST /actions/mcp/{name}/accept',
];
/** They ask the voice platform first, and try again before it counts as away: the short tier tries few ids. */
const SLOW = ['DELETE /phone/numbers/{id}'];
/** No key opens these, only a member who is signed in: test/sign-in and test/conversations. */
const OF_MEMBERS = [
  'DELETE /me/sessions/{id}',
  'POST /chat/sessions/{id}/read',
  'POST /chat/sessions/{id}/unread',
  'GET /chat/sessions/{id}/draft',
  'PUT /chat/sessions/{id}/draft',
  'DELETE /chat/sessions/{id}/draft',
  'PUT /chat/sessions/{id}/presence',
  'DELETE /chat/sessions/{id}/presence',
];

let api: TestApi;
let fareHarbor: FakeFareHarbor;
let document: Document;
let orgA: TestOrg;
let orgB: TestOrg;
let idsOfA: string[];
let idsOfB: string[];
let nextsOfB: string[];
let before: Record<string, string>;

beforeAll(async () => {
  fareHarbor = await startFakeFareHarbor();
  api = await startApi({
    isInProcess: true,
    env: { FAREHARBOR_BASE_URL: fareHarbor.url },
    deps: {
      checkIntegration: async () => ({ connected: false, message: 'not tried' }),
      dns: { resolveTxt: async () => [] },
      egress: NOWHERE,
      maxWaitMs: 10,
    },
  });
  document = readDocument((await api.client().get('/openapi.json')).body);
  await startBigintsHigh(api.db);
  orgA = await api.createOrg(`${MARK_OF_A} org`, await api.createPartner());
  orgB = await api.createOrg(`${MARK_OF_B} org`, await api.createPartner({ name: `${MARK_OF_B} partner` }));
  await fill(document, api.db, orgA, MARK_OF_A);
  ({ nexts: nextsOfB } = await fill(document, api.db, orgB, MARK_OF_B));
  const { body: contact } = await orgB.post('/contacts', {
    contact: { phone: PHONE_OF_B, name: `${MARK_OF_B} by phone` },
  });
  await openSessionOfB(contact.id);
  await orgB.post('/media', formWith(Buffer.from('text'), `${MARK_OF_B}.txt`));
  await fillOutboxOfB();
  await postFromCrmOfB();
  await automateB();
  await chatWithB();
  await connectServerOfB();
  await fillTables(api.db, orgB.id, MARK_OF_B, OTHER_TABLES);
  idsOfA = await idsOf(api.db, orgA);
  idsOfB = (await idsOf(api.db, orgB)).filter((id) => !idsOfA.includes(id));
  await findOwnPaths();
  await findParents();
  before = await checksums(api.db, orgB);
}, SWAP_TIMEOUT_MS);

afterAll(async () => {
  await api.close();
  await fareHarbor.close();
});

/** Gives org B an MCP server, as if it had listed a tool. */
async function connectServerOfB(): Promise<void> {
  const { db, secrets } = api.deps;
  const tools = [{ name: `${MARK_OF_B} tool`, inputSchema: { type: 'object' as const } }];
  const listing = { verdict: { kind: 'legacy' as const }, protocol: '2025-11-25', tools };
  await addServer(db, secrets, orgB.id, { name: 'shop', url: 'https://shop.example.com/mcp', headers: {} }, listing);
}

describe("another org's ids", () => {
  it('cover every table', () => {
    const empty = Object.keys(before).filter((table) => before[table]?.startsWith('0 rows'));
    expect(empty).toEqual([]);
    expect(idsOfB.length).toBeGreaterThan(30);
  });

  it(
    'give no access in a path',
    async () => {
      const routes = document.operations.filter((operation) => idsInPath(operation).length > 0);
      const wrong = await inParallel(
        routes.flatMap((operation) => foreignPaths(operation).map((path) => ({ operation, path }))),
        async ({ operation, path }) => {
          const [body] = document.bodiesOf(operation);
          const answer = await call(as(orgA, operation), operation, path, body);
          if (answer.status < 400) return `${operation.name} ${path} answers ${answer.status}`;
          return wrongWith(answer, `${operation.name} ${path}`, decodeURIComponent(path));
        },
      );
      expect(wrong).toEqual([]);
    },
    SWAP_TIMEOUT_MS,
  );

  it(
    'give no access in a query, also not as cursors',
    async () => {
      const wrong = await inParallel(
        sampled(document.operations, (operation) =>
          operation.queryParameters
            .filter(
              ({ schema }) => schema.type === 'string' && schema.enum === undefined && schema.format === undefined,
            )
            .flatMap(({ name }) => [...idsOfB, ...nextsOfB].map((id) => ({ operation, name, id }))),
        ),
        async ({ operation, name, id }) => {
          const path = `${pathTo(operation, ownPathValues(operation))}?${name}=${encodeURIComponent(id)}`;
          return wrongWith(await call(as(orgA, operation), operation, path), `${operation.name}?${name}=${id}`, id);
        },
      );
      expect(wrong).toEqual([]);
    },
    SWAP_TIMEOUT_MS,
  );

  it(
    'appear in none of the org’s lists',
    async () => {
      const lists = document.operations.filter(
        ({ method, pathParameters }) => method === 'GET' && pathParameters.length === 0,
      );
      expect(lists.length).toBeGreaterThan(5);
      const wrong = await inParallel(lists, async (operation) =>
        wrongWith(await as(orgA, operation).get(operation.path), operation.name, SENT_NOWHERE),
      );
      expect(wrong).toEqual([]);
    },
    SWAP_TIMEOUT_MS,
  );

  it(
    'give no access in a body',
    async () => {
      const wrong = await inParallel(
        sampled(document.operations, (operation) =>
          newIdPlaces(operation).flatMap((place) => idsOfB.map((id) => ({ operation, place, id }))),
        ),
        async ({ operation, place, id }) => {
          const takesNumber = [document.resolve(place.schema).type]
            .flat()
            .some((type) => /number|integer/.test(type ?? ''));
          const path = pathTo(operation, ownPathValues(operation));
          const answer = await call(as(orgA, operation), operation, path, place.put(takesNumber ? Number(id) : id));
          return wrongWith(answer, `${operation.name} with ${place.path.join('.')} = ${id}`, id);
        },
      );
      expect(wrong).toEqual([]);
    },
    SWAP_TIMEOUT_MS,
  );

  it('were not used to change any table of the other org', async () => {
    expect(await checksums(api.db, orgB)).toEqual(before);
  });

  it('are refused on partner routes as specified: 403 for an org, 404 for an external id', async () => {
    const externalId = `${MARK_OF_B}-external`;
    await orgB.partner.post('/partner/v1/orgs', { name: `${MARK_OF_B} of b`, external_id: externalId });
    for (const operation of document.operations.filter(({ key }) => key === 'partner')) {
      for (const { name } of operation.pathParameters) {
        const path = pathTo(operation, { [name]: name === 'orgId' ? orgB.id : externalId });
        const { status } = await call(orgA.partner, operation, path, document.bodiesOf(operation)[0]);
        expect(`${operation.name} ${status}`).toBe(`${operation.name} ${name === 'orgId' ? 403 : 404}`);
      }
    }
  });
});

describe('the same ids used by their own org', () => {
  it(
    'give access to every route with an id in its path',
    async () => {
      const order = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];
      const routes = document.operations
        .filter(
          ({ pathParameters, name }) =>
            pathParameters.length > 0 && ![...OF_MEMBERS, ...TRIED_ELSEWHERE].includes(name),
        )
        .sort(
          (a, b) =>
            order.indexOf(a.method) - order.indexOf(b.method) || b.pathParameters.length - a.pathParameters.length,
        );
      const closed: string[] = [];
      for (const operation of routes) {
        if (!(await opensForItsOwner(operation))) closed.push(operation.name);
      }
      // To fix a route listed here, let an example of a creating route create such a row in org B, or extend
      // filling.ts.
      expect(closed).toEqual([]);
    },
    SWAP_TIMEOUT_MS,
  );
});

/** Returns whether B gets more than a 404 for one of its own ids: success, or a conflict with the current state. */
async function opensForItsOwner(operation: Operation): Promise<boolean> {
  const numbers = idsOfB.filter(isNumeric).map(Number);
  const withNumbers = numberPlaces(document, operation).flatMap(({ put }) => numbers.map(put));
  const found: string[] = [];
  for (const path of ownersPaths(operation)) {
    const statuses = await statusesOf(operation, path, [...document.bodiesOf(operation), ...withNumbers]);
    if (statuses.some(isOpen)) {
      const rest = operation.path.slice(upToLastId(operation.path).length);
      opened.set(upToLastId(operation.path), path.slice(0, path.length - rest.length));
      return true;
    }
    if (statuses.some((status) => status !== 404)) found.push(path);
  }
  const withIds = idPlaces(operation).flatMap(({ put }) => idsOfB.filter((id) => !isNumeric(id)).map(put));
  for (const path of found) if ((await statusesOf(operation, path, withIds)).some(isOpen)) return true;
  return false;
}

const isOpen = (status: number): boolean => status < 300 || status === 409;

/** Calls an operation as B until it opens, and returns the statuses. */
async function statusesOf(operation: Operation, path: string, bodies: unknown[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const body of bodies) {
    const { status } = await call(as(orgB, operation), operation, path, body);
    statuses.push(status);
    if (isOpen(status)) break;
  }
  return statuses;
}

const as = (org: TestOrg, { key }: Operation): Client => (key === 'partner' ? org.partner : org);

/** Returns a share of the pairs of all operations: of the ids, others for each place. */
const sampled = <Pair>(operations: Operation[], pairsOf: (operation: Operation) => Pair[]): Pair[] =>
  operations.flatMap(pairsOf).filter((_, nth) => (nth + Math.floor(nth / idsOfB.length)) % SHARE_OF_PAIRS === 0);

const idsInPath = ({ pathParameters }: Operation) => pathParameters.filter(({ schema }) => schema.enum === undefined);

/** Returns paths with ids of B: in each place alone, among ids of A, and in all places. */
function foreignPaths(operation: Operation): string[] {
  const own = ownPathValues(operation);
  const names = idsInPath(operation).map(({ name }) => name);
  const [first, second] = names;
  const alone = names.flatMap((name) =>
    (name === first ? triedAt(operation) : secondsOf(operation)).map((id) => pathTo(operation, { ...own, [name]: id })),
  );
  if (first === undefined || second === undefined) return alone;
  const together = triedAt(operation).map((id) =>
    pathTo(operation, { ...own, ...Object.fromEntries(names.map((name) => [name, id])) }),
  );
  const pairs = parentsOf(operation).flatMap((id, nth, parentIds) =>
    dealt(secondsOf(operation), nth, parentIds.length).map((other) =>
      pathTo(operation, { ...own, [first]: id, [second]: other }),
    ),
  );
  return [...alone, ...together, ...pairs];
}

const secondsOf = (operation: Operation): string[] =>
  idsOfB.filter((_, nth) => (nth + document.operations.indexOf(operation)) % SHARE_OF_SECONDS === 0);

/** The paths opened for B, up to their last id, by the paths of their operations. */
const opened = new Map<string, string>();

const upToLastId = (path: string): string => path.slice(0, path.lastIndexOf('}') + 1);

/** Returns paths with ids of B. An opened one comes first, then those readable by B at the same place. */
function ownersPaths(operation: Operation): string[] {
  const known = opened.get(upToLastId(operation.path));
  const rest = operation.path.slice(upToLastId(operation.path).length);
  return [...(known === undefined ? [] : [known + rest]), ...likelyPaths(operation)];
}

function likelyPaths(operation: Operation): string[] {
  const likelyFirst = [...new Set([...readableAt(operation), ...idsOfB])];
  const [first, second] = operation.pathParameters.map(({ name, schema }, nth) => ({
    name,
    values:
      schema.enum?.map(String) ??
      (name === 'version'
        ? [FIRST_VERSION]
        : nth === 0 && operation.pathParameters.length > 1
          ? parentsOf(operation)
          : likelyFirst),
  }));
  if (first === undefined) return [operation.path];
  return first.values.flatMap((value) =>
    (second?.values ?? ['']).map((other) =>
      pathTo(operation, { [first.name]: value, ...(second === undefined ? {} : { [second.name]: other }) }),
    ),
  );
}

/** The readable ids of B by the path that ends with them. */
const parents = new Map<string, string[]>();

async function findParents(): Promise<void> {
  const gets = document.operations.filter(
    ({ method, path, pathParameters }) => method === 'GET' && pathParameters.length === 1 && path.endsWith('}'),
  );
  for (const operation of gets) {
    const [name = ''] = operation.pathParameters.map((parameter) => parameter.name);
    const paths = idsOfB.map((id) => ({ id, path: pathTo(operation, { [name]: id }) }));
    const open = await inParallel(paths, async ({ id, path }) => {
      return (await as(orgB, operation).get(path)).status === 200 ? id : undefined;
    });
    parents.set(operation.path, open);
  }
}

/**
 * Returns the ids to try before another id in a path: those readable by B at this path, or at any path if none is
 * readable there. The long tier uses all ids.
 */
function parentsOf(operation: Operation): string[] {
  if (IS_LONG) return idsOfB;
  const readable = readableAt(operation);
  return readable.length === 0 ? [orgB.id, ...new Set([...parents.values()].flat())] : readable;
}

/** Returns the ids to try after the parent: all of them in the long tier, and each id after one parent in the short one. */
const dealt = (ids: string[], nth: number, parentCount: number): string[] =>
  IS_LONG ? ids : ids.filter((_, place) => place % parentCount === nth);

/** Returns ids of B for the first place in a path: those that B reads there and, in the short tier, a tenth of the others. */
function triedAt(operation: Operation): string[] {
  const readable = readableAt(operation);
  if (readable.length === 0 && (IS_LONG || !SLOW.includes(operation.name))) return idsOfB;
  return idsOfB.filter((id, nth) => readable.includes(id) || nth % SHARE_OF_PAIRS === 0);
}

const readableAt = ({ path }: Operation): string[] => parents.get(path.slice(0, path.indexOf('}') + 1)) ?? [];

/** The path values of A with an existing resource, by operation. */
const found = new Map<string, Record<string, string>>();

const ownPathValues = (operation: Operation): Record<string, string> => found.get(operation.name) ?? {};

/** Creates workflows started by a webhook, a form and by hand, and a waiting run. */
async function automateB(): Promise<void> {
  const note = {
    $kind: 'Action',
    id: 'note',
    type: 'add-note',
    name: MARK_OF_B,
    input: { session_id: orgB.id, text: MARK_OF_B },
  };
  const waiting = {
    $kind: 'Block',
    id: 'heard',
    type: 'wait-for-event',
    inputs: { trigger_type: 'contact-created', timeout_minutes: 500 },
  };
  const ways = [
    { trigger_type: 'webhook' },
    { trigger_type: 'form-trigger', trigger_configuration: { fields: [{ name: 'email', type: 'email' }] } },
    { trigger_type: 'manual-trigger' },
  ];
  for (const way of ways) {
    const { body } = await orgB.post('/workflows', { name: MARK_OF_B, workflow_blocks: [waiting, note], ...way });
    await orgB.post(`/workflows/${body.workflow_id}/activate`, {});
    if (way.trigger_type === 'webhook')
      opened.set('/hooks/workflows/{workflow_id}/{token}', new URL(body.webhook_url).pathname);
    if (way.trigger_type === 'manual-trigger') await orgB.post(`/workflows/${body.workflow_id}/trigger`, { input: {} });
  }
}

/** Inserts a message like the worker in development. */
async function fillOutboxOfB() {
  const payload = JSON.stringify({ Body: `${MARK_OF_B} message` });
  await api.db
    .insertInto('sandbox_outbox')
    .values({ org_id: orgB.id, id: newId(), channel: 'sms', to: PHONE_OF_B, payload })
    .execute();
}

/** Posts an event like B's CRM, without a key. */
async function postFromCrmOfB(): Promise<void> {
  const { body } = await orgB.get('/integrations');
  const { webhook_url } = body.items.find(({ kind }: { kind: string }) => kind === 'crm');
  const event = {
    subscriptionType: 'conversation.newMessage',
    objectId: 'thread-of-b-2d7f',
    messageId: `${MARK_OF_B}-message`,
  };
  await api.client().post(new URL(webhook_url).pathname, [event]);
}

/** Sets the widget up, and creates a visitor's session with an answer, a vote and a score through the widget. */
async function chatWithB(): Promise<void> {
  await orgB.put('/widget/settings', { appearance: { greeting: `${MARK_OF_B} greeting` } });
  const { widget } = await verified(api, orgB, `visitor@guest-${MARK_OF_B}.example`);
  const session_id = await widget.newSession({ external_id: `${MARK_OF_B} device` });
  await widget.send(session_id, `${MARK_OF_B} message`, { headers: { authorization: `${MARK_OF_B} token` } });
  await orgB.post(`/chat/sessions/${session_id}/send`, { sender: 'agent', message: { type: 'text', text: 'Hello' } });
  const messagePublicId = (await widget.poll(session_id)).history[1].publicId;
  await widget.post('chat/vote', { action: 'upvote', sessionId: session_id, messagePublicId });
  await widget.post('session/resolve', { session_id });
  await widget.post('submit-csat', { session_id, score: 5, feedback: `${MARK_OF_B} comment` });
}

async function openSessionOfB(contactId: string): Promise<void> {
  const { id: sessionId } = await inTransaction(api.db, (trx) =>
    openSession(trx, orgB.id, { contactId, channel: 'whatsapp' }),
  );
  const message = { id: crypto.randomUUID(), sessionId, sender: 'contact', content: `${MARK_OF_B} message` } as const;
  await inTransaction(api.db, (trx) => addMessage(trx, orgB.id, message));
  const source = {
    id: message.id,
    channel: 'whatsapp',
    provider: 'meta',
    provider_id: `${MARK_OF_B}-inbound`,
  } as const;
  await api.db
    .insertInto('inbound_messages')
    .values({ org_id: orgB.id, ...source, from: PHONE_OF_B, to: PHONE_OF_B, body: message.content })
    .execute();
  await orgB.put('/tags', { tag_name: TAG_OF_EXAMPLE });
  await orgB.post(`/chat/sessions/${sessionId}/tags`, { tags: [TAG_OF_EXAMPLE] });

  const { id: redacted } = await inTransaction(api.db, (trx) =>
    openSession(trx, orgB.id, { contactId, channel: 'api' }),
  );
  await inTransaction(api.db, (trx) =>
    addMessage(trx, orgB.id, { ...message, id: crypto.randomUUID(), sessionId: redacted }),
  );
  await orgB.post('/redaction/session', { sessionId: redacted });
  await orgB.patch('/autopilot', { channel: 'web', autopilot_enabled: true });
}

/** Finds ids of A for the first place of each path, with a GET of the same path. */
async function findOwnPaths(): Promise<void> {
  const gets = document.operations.filter(
    ({ method, pathParameters }) => method === 'GET' && pathParameters.length === 1,
  );
  const readable = new Map<Operation, string | undefined>();
  for (const operation of document.operations) {
    const [parameter] = operation.pathParameters;
    const get = gets.find(({ path }) => operation.path === path || operation.path.startsWith(`${path}/`));
    if (parameter === undefined) continue;
    if (get !== undefined && !readable.has(get)) readable.set(get, await firstReadableByA(get));
    const id = get && readable.get(get);
    found.set(operation.name, { [parameter.name]: id ?? valuesOfA(operation)[0] ?? '' });
  }
}

const valuesOfA = ({ pathParameters: [parameter] }: Operation): string[] =>
  parameter?.schema.enum?.map(String) ?? idsOfA;

async function firstReadableByA(get: Operation): Promise<string | undefined> {
  const [name = ''] = get.pathParameters.map((parameter) => parameter.name);
  for (const id of valuesOfA(get)) {
    if ((await as(orgA, get).get(pathTo(get, { [name]: id }))).status === 200) return id;
  }
  return undefined;
}

/** Returns every place for an id in every body, with the function to create the body. */
const newIdPlaces = (operation: Operation): Place[] =>
  idPlaces(operation).filter((place) => !isOwnWord(place) && isNew(operation, place));

/** Other requests at the same time read what these have written: names that the org gives itself. */
const OWN_WORDS = new Set(['custom_id', 'external_id']);

const isOwnWord = ({ path }: Place): boolean => OWN_WORDS.has(path.at(-1) ?? '');

function idPlaces(operation: Operation): Place[] {
  const { body } = operation;
  if (body === undefined) return [];
  const all = document.bodiesOf(operation).flatMap((base) => [...document.places(body, base)]);
  return all.filter(({ path, schema }) => {
    const name = path.findLast((part) => !/^\d+$/.test(part)) ?? '';
    const isText = schema.format === undefined || schema.format === 'uuid';
    const isScalar = [schema.type].flat().some((type) => type === 'string' || type === 'integer' || type === 'number');
    return isScalar && isText && schema.const === undefined && (schema.format === 'uuid' || ID_NAME.test(name));
  });
}

/** Returns whether the place is new. A component occurs in several bodies: the long tier uses all of them. */
function isNew({ name }: Operation, { path, component, schema, put }: Place): boolean {
  const isOnceEnough = component !== undefined && process.env.TEST_TIER !== 'long';
  const place = isOnceEnough
    ? `${component} ${path.at(-1)} ${path.at(-2)} ${JSON.stringify(schema)}`
    : `${name} ${JSON.stringify(put('?'))}`;
  if (seen.has(place)) return false;
  seen.add(place);
  return true;
}

const seen = new Set<string>();

/** A word in a column such as `key` is the same for everybody. */
const isTelling = (id: string): boolean => id.length >= TELLING_LENGTH && /\d/.test(id);

/** Returns the fault of an answer to A: an internal error, or data of B not sent by A itself. */
function wrongWith({ status, body }: Answer, what: string, sent: string): string | undefined {
  // Numbers and trunks are asked of the voice platform, and nothing is reached from here.
  if (status >= 500 && body.code !== 'provider_away') return `${what} answers ${status}`;
  const text = JSON.stringify(body);
  const secrets = [MARK_OF_B, PHONE_OF_B, ...idsOfB.filter(isTelling)];
  const leaked = secrets.find((secret) => text.includes(secret) && !(sent !== SENT_NOWHERE && sent.includes(secret)));
  return leaked === undefined ? undefined : `${what} answers ${status} with ${leaked}`;
}
