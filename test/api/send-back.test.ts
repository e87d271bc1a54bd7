import { isDeepStrictEqual } from 'node:util';
import { addMember } from '../../src/orgs/members/service.ts';
import { type Document, type Operation, readDocument } from '../security/document.ts';
import { call } from '../security/filling.ts';
import { NOWHERE } from '../security/nowhere.ts';
import { type Answer, startApi, type TestApi } from '../support/stack/api.ts';

/** What is not sent back as it was read, and why. */
const EXCEPTIONS: Record<string, string> = {
  'PATCH /me': 'only a signed-in member has a profile, and GET describes the caller with its org and scopes',
  'PUT /chat/sessions/{id}/draft': 'only a signed-in member has drafts',
  'PUT /actions': 'imports a file of operations',
  'PUT /integrations/fareharbor': 'takes all connections at once, and asks FareHarbor first',
  'PATCH /actions/mcp/{name}': 'asks the MCP server first: test/actions/mcp/mcp-servers.test.ts',
  'PUT /phone/numbers/{id}': 'the numbers are those of a voice platform: test/phone-agents/numbers.test.ts',
  'PATCH /insights/{id}': 'no request makes an insight',
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
const itemsOf = (body: unknown): Json[] | undefined =>
  Array.isArray(body) ? body : ((body as { items?: Json[] }).items ?? undefined);

/** Operations that take what is read at their path, or in the list at the path above. */
const updates = () =>
  document.operations.filter(({ method, path, body, name }) => {
    const isListedAbove = !above(path).includes('{') && operationAt('GET', above(path)) !== undefined;
    const isRead = operationAt('GET', path) !== undefined || (isListedAbove && above(path) !== '');
    return /PUT|PATCH/.test(method) && body !== undefined && isRead && !(name in EXCEPTIONS);
  });

/** Makes what an operation updates, by the examples of the document. Returns the path to it. */
async function make(operation: Operation): Promise<string> {
  const { path } = operation;
  if (path === '/members/{id}') return `/members/${await addMember(api.db, api.org.id, { email: 'ann@example.com' })}`;
  const creating = path.endsWith('}') ? operationAt('POST', above(path)) : undefined;
  const made = await call(api.org, creating ?? operation, creating?.path ?? path, exampleOf(creating ?? operation));
  if (made.status >= 300) throw new Error(`${operation.name} has nothing to update: ${JSON.stringify(made.body)}`);
  return creating === undefined ? path : `${above(path)}/${made.body.workflow_id ?? made.body.id}`;
}

/** Reads what an operation updates. In a list it is the newest, or the one of the path. */
async function read(operation: Operation, path: string): Promise<Json> {
  const own = operationAt('GET', operation.path);
  const { status, body }: Answer = await api.org.get(own === undefined ? above(path) : path);
  if (status !== 200) throw new Error(`${operation.name}: ${path} cannot be read: ${JSON.stringify(body)}`);
  const items = itemsOf(body);
  if (items === undefined) return body;
  const name = path.split('/').at(-1);
  return items.find(({ id, kind }) => String(id) === name || kind === name) ?? (items[0] as Json);
}

/** Sends back what is read. Returns what is wrong with that, or undefined. */
async function problemOf(operation: Operation): Promise<string | undefined> {
  const path = await make(operation);
  const before = await read(operation, path);
  const within = WITHIN[operation.name];
  const sent = await call(api.org, operation, path, within === undefined ? before : { [within]: before });
  if (sent.status >= 300) return `${sent.status} ${JSON.stringify(sent.body.issues ?? sent.body.message)}`;
  const after = await read(operation, path);
  const changed = Object.keys({ ...before, ...after }).filter(
    (name) => name !== TIME_OF_WRITE && !isDeepStrictEqual(before[name], after[name]),
  );
  return changed.length === 0 ? undefined : `has changed ${changed.join(', ')}`;
}

it('what is read can be sent back to every operation that updates it: it is taken, and nothing has changed', async () => {
  const problems: Record<string, string> = {};
  for (const operation of updates()) {
    const problem = await problemOf(operation);
    if (problem !== undefined) problems[operation.name] = problem;
  }
  expect(problems).toEqual({});
  expect(updates().length).toBeGreaterThan(35);
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
