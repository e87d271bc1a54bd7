import { isDeepStrictEqual } from 'node:util';
import { addMember } from '../../src/orgs/members/service.ts';
import { sessionWith } from '../insights/support.ts';
import { type Document, type Operation, readDocument, type Schema } from '../security/document.ts';
import { call } from '../security/filling.ts';
import { NOWHERE } from '../security/nowhere.ts';
import { type Answer, startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

/** What is not sent back as it was read, and why. */
const EXCEPTIONS: Record<string, string> = {
  'PATCH /me': 'only a signed-in member has a profile, and GET describes the caller with its org and scopes',
  'PUT /chat/sessions/{id}/draft': 'only a signed-in member has drafts',
  'PUT /actions': 'imports a file of operations',
  'PUT /integrations/fareharbor': 'takes all connections at once, and asks FareHarbor first',
  'PATCH /actions/mcp/{name}': 'asks the MCP server first: test/actions/mcp/mcp-servers.test.ts',
  'PUT /phone/numbers/{id}': 'the numbers are those of a voice platform: test/phone-agents/numbers.test.ts',
};
/** The member in which a body is sent that is read without it. */
const WITHIN: Record<string, string> = { 'PATCH /contacts/{id}': 'contact' };
/** The time of the last write, also of one that changes nothing else. */
const TIME_OF_WRITE = 'updated_at';
type Json = Record<string, unknown>;

let api: TestApi;
let document: Document;
beforeAll(async () => {
  api = await startApi({
    isInProcess: true,
    deps: { checkIntegration: async () => ({ connected: false, message: 'not tried' }), egress: NOWHERE },
  });
  document = readDocument((await api.client().get('/openapi.json')).body);
});
afterAll(() => api.close());

const operationAt = (method: string, path: string) =>
  document.operations.find((one) => one.method === method && one.path === path);
const above = (path: string) => path.slice(0, path.lastIndexOf('/'));
const exampleOf = (operation: Operation) => document.bodiesOf(operation)[0];

/** Returns what of a body has to be given. */
function leastOf(given: Schema | undefined, value: unknown): unknown {
  const { properties = {}, required = [], items } = document.resolve(given ?? {});
  if (Array.isArray(value)) return value.map((item) => leastOf(items, item));
  if (typeof value !== 'object' || value === null || Object.keys(properties).length === 0) return value;
  const members = Object.entries(value).filter(([name]) => required.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, leastOf(properties[name], member)]));
}
const itemsOf = (body: unknown): Json[] | undefined =>
  Array.isArray(body) ? body : ((body as { items?: Json[] }).items ?? undefined);

/** Operations that take what is read at their path, or in the list at the path above. */
const updates = () =>
  document.operations.filter(({ method, path, body, name }) => {
    const isListedAbove = !above(path).includes('{') && operationAt('GET', above(path)) !== undefined;
    const isRead = operationAt('GET', path) !== undefined || (isListedAbove && above(path) !== '');
    return /PUT|PATCH/.test(method) && body !== undefined && isRead && !(name in EXCEPTIONS);
  });

/** What the rows are made of: everything that an example has, or only what has to be given. */
type Extent = 'example' | 'least';
const bodyFor = (operation: Operation, extent: Extent) =>
  extent === 'example' ? exampleOf(operation) : leastOf(operation.body, exampleOf(operation));

/** Makes what an operation updates, by the examples of the document. Returns the path to it. */
async function make(org: TestOrg, operation: Operation, extent: Extent): Promise<string> {
  const { path } = operation;
  if (path === '/members/{id}') return `/members/${await addMember(api.db, org.id, { email: 'ann@example.com' })}`;
  if (path === '/insights/{id}') return makeInsight(org);
  const creating = path.endsWith('}') ? operationAt('POST', above(path)) : undefined;
  const by = creating ?? operation;
  let made = await call(org, by, by.path, bodyFor(by, extent));
  if (made.status === 400 && extent === 'least') made = await call(org, by, by.path, exampleOf(by)); // it needs one of several
  if (made.status >= 300) throw new Error(`${operation.name} has nothing to update: ${JSON.stringify(made.body)}`);
  return creating === undefined ? path : `${above(path)}/${made.body.workflow_id ?? made.body.id}`;
}

/** Makes an insight as the worker does, from what a contact has said. */
async function makeInsight(org: TestOrg): Promise<string> {
  await sessionWith(api.db, org, ['The parcel has not arrived']);
  const { body } = await org.post('/insights', {});
  return `/insights/${body.data[0].id}`;
}

/** Reads what an operation updates. In a list it is the newest, or the one of the path. */
async function read(org: TestOrg, operation: Operation, path: string): Promise<Json> {
  const own = operationAt('GET', operation.path);
  const { status, body }: Answer = await org.get(own === undefined ? above(path) : path);
  if (status !== 200) throw new Error(`${operation.name}: ${path} cannot be read: ${JSON.stringify(body)}`);
  const items = itemsOf(body);
  if (items === undefined) return body;
  const name = path.split('/').at(-1);
  return items.find(({ id, kind }) => String(id) === name || kind === name) ?? (items[0] as Json);
}

/** Sends back what is read. Returns what is wrong with that, or undefined. */
async function problemOf(org: TestOrg, operation: Operation, extent: Extent): Promise<string | undefined> {
  const path = await make(org, operation, extent);
  const before = await read(org, operation, path);
  const within = WITHIN[operation.name];
  const sent = await call(org, operation, path, within === undefined ? before : { [within]: before });
  if (sent.status >= 300) return `${sent.status} ${JSON.stringify(sent.body.issues ?? sent.body.message)}`;
  const after = await read(org, operation, path);
  const changed = Object.keys({ ...before, ...after }).filter(
    (name) => name !== TIME_OF_WRITE && !isDeepStrictEqual(before[name], after[name]),
  );
  return changed.length === 0 ? undefined : `has changed ${changed.join(', ')}`;
}

const EXTENTS: Extent[] = process.env.TEST_TIER === 'long' ? ['example', 'least'] : ['example'];

it.each(EXTENTS)(
  'what is read can be sent back to every operation that updates it: it is taken, and nothing has changed (%s)',
  async (extent) => {
    const org = await api.createOrg();
    const problems: Record<string, string> = {};
    for (const operation of updates()) {
      const problem = await problemOf(org, operation, extent);
      if (problem !== undefined) problems[operation.name] = problem;
    }
    expect(problems).toEqual({});
    expect(updates().length).toBeGreaterThan(35);
  },
);

it('an insight that is sent back as it was read keeps its automatic name and category', async () => {
  const path = await makeInsight(api.org);
  const handling = () =>
    api.db
      .selectFrom('insights')
      .select(['named_by', 'category_by'])
      .where('org_id', '=', api.org.id)
      .executeTakeFirstOrThrow();
  const before = await handling();
  const { body: insight } = await api.org.get(path);
  expect((await api.org.patch(path, insight)).status).toBe(200);
  expect(await handling()).toEqual(before);
  await api.org.patch(path, { content: insight.content, category: null });
  expect(await handling()).toEqual({ named_by: 'person', category_by: 'person' });
});

it('every exception is an operation of the document', () => {
  const names = document.operations.map(({ name }) => name);
  expect(Object.keys(EXCEPTIONS).filter((name) => !names.includes(name))).toEqual([]);
});

it('what is read and cannot be written is ignored by its name, and a misspelt field is still refused', async () => {
  const { body: made } = await api.org.post('/segments', { name: 'Pro', filter: null });
  const { body: segment } = await api.org.get(`/segments/${made.id}`);
  const sent = await api.org.patch(`/segments/${made.id}`, segment);
  expect([sent.status, sent.headers.get('x-ignored-fields')]).toEqual([
    200,
    'body.id, body.created_at, body.updated_at',
  ]);
  const { status, body } = await api.org.patch(`/segments/${made.id}`, { ...segment, nmae: 'x' });
  expect([status, body.issues]).toEqual([400, [{ path: 'body.nmae', message: expect.stringContaining('name') }]]);
  expect((await api.org.post('/segments', segment)).status).toBe(400);
});
