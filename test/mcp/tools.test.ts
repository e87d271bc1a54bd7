import { Validator } from '@cfworker/json-schema';
import { operationsOf } from '../../src/api/edge/documents/openapi-document/document.ts';
import { TOOLS } from '../../src/mcp/tools/service.ts';
import { addMember } from '../../src/orgs/members/service.ts';
import { insightsOf, sessionWith } from '../insights/support.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { emailStep, inDomain } from '../support/sequences.ts';
import { type Client, startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';
import { activate } from '../support/triggers.ts';
import { type Assistant, CONNECT, older, type Result, textOf } from './assistants.ts';

/** What a key of each scope gets, and one of all of them, in the order of the list. */
const TOOLS_OF_SCOPES: Record<string, string[]> = {
  'contacts:read': ['search_contacts', 'get_contact'],
  'contacts:write': ['save_contact'],
  'chat-sessions:read': [
    'list_sessions',
    'filter_sessions',
    'get_session',
    'get_history',
    'search_messages',
    'get_turns',
  ],
  'sla:read': ['get_sla'],
  'chat-sessions:write': [
    'add_note',
    'update_session',
    'assign_session',
    'handoff_session',
    'return_to_ai',
    'send_message',
  ],
  'tags:write': ['tag_session', 'untag_session'],
  'training:read': ['search_knowledge'],
  'tags:read': ['list_tags'],
  'insights:read': ['query_insights', 'get_insight'],
  'sequences:write': ['start_sequence'],
  'workflows:write': ['trigger_workflow'],
  'actions:write': ['run_action'],
  'autopilot:read': ['get_confirmation'],
};
const EVERY_SCOPE = Object.keys(TOOLS_OF_SCOPES);
const EVERY_TOOL = Object.values(TOOLS_OF_SCOPES).flat();
const SCOPE_SETS: [string, string[]][] = [
  ...EVERY_SCOPE.map((scope): [string, string[]] => [`${scope} alone`, [scope]]),
  ['every scope', EVERY_SCOPE],
  ['no scope of a tool', ['media:read', 'webhooks:write']],
];
const IS_LONG = process.env.TEST_TIER === 'long';
const CLIENTS = Object.entries(CONNECT);
/** The sets that a client tries: in the short tier, of the single scopes each client tries others. */
const setsOf = (client: number) =>
  SCOPE_SETS.filter(([, scopes], nth) => IS_LONG || scopes.length > 1 || nth % CLIENTS.length === client);
const ASKS_PERSON = ['send_message', 'start_sequence', 'trigger_workflow', 'run_action'];

/** What the calls of one key are about. */
interface Subjects {
  email: string;
  contact: string;
  session: string;
  member: number;
  insight: string;
  sequence: string;
  workflow: string;
  action: string;
  confirmation: string;
}

const ARGUMENTS: Record<string, (of: Subjects) => Record<string, unknown>> = {
  search_contacts: ({ email }) => ({ email, limit: 5 }),
  get_contact: ({ contact }) => ({ id: contact }),
  save_contact: ({ email }) => ({ email, name: 'Ann', custom_data: { plan: 'pro' } }),
  list_sessions: () => ({ status: 'open', channel_type: 'web', handed_off: false, limit: 5 }),
  filter_sessions: ({ contact }) => ({ contact_ids: [contact], page: 1 }),
  get_session: ({ session }) => ({ id: session }),
  get_history: ({ session }) => ({ id: session, order: 'desc', limit: 5 }),
  search_messages: ({ contact }) => ({ q: 'parcel', contact_id: contact }),
  get_sla: ({ session }) => ({ id: session }),
  get_turns: ({ session }) => ({ id: session, limit: 5 }),
  add_note: ({ session }) => ({ id: session, text: 'Called back' }),
  tag_session: ({ session }) => ({ id: session, tags: ['refund'] }),
  untag_session: ({ session }) => ({ id: session, tag_name: 'refund' }),
  update_session: ({ session }) => ({ id: session, custom_data: { order: 'A-1' } }),
  assign_session: ({ session, member }) => ({ id: session, assignee_id: member }),
  handoff_session: ({ session }) => ({ id: session, reason: 'Wants a person' }),
  return_to_ai: ({ session }) => ({ id: session }),
  search_knowledge: () => ({ query: 'How long do refunds take?', limit: 5 }),
  list_tags: () => ({}),
  query_insights: () => ({ search: 'parcel', status: 'unresolved', sortBy: 'last_seen_at' }),
  get_insight: ({ insight }) => ({ id: insight }),
  send_message: ({ session }) => ({ id: session, text: 'It is on its way' }),
  start_sequence: ({ sequence }) => ({ id: sequence }),
  trigger_workflow: ({ workflow }) => ({ id: workflow, input: { order: 'A-1' } }),
  run_action: ({ action, contact }) => ({ id: action, query_params: { order: 'A-1' }, contact_id: contact }),
  get_confirmation: ({ confirmation }) => ({ id: confirmation }),
};

let api: TestApi;
let shop: FakeProvider;
let org: TestOrg;
let person: Client;
let shared: Pick<Subjects, 'member' | 'insight' | 'workflow' | 'action'>;
let answersOf: (tool: string) => (object | undefined)[];
beforeAll(async () => {
  api = await startApi({ env: FAKES_ALLOWED });
  shop = await startFakeProvider();
  ({ org } = api);
  person = await org.withScopes('confirmations:write', ...EVERY_SCOPE);
  answersOf = await readAnswers();
  await created(org.post('/training', { title: 'Refunds', content: 'Refunds take five days.' }));
  await created(org.put('/tags', { tag_name: 'refund' }));
  await sessionWith(api.db, org, ['My parcel has not arrived']);
  const ping = { name: 'Find an order', request_type: 'GET', api_endpoint: `${shop.url}/orders`, payload: PARAMETERS };
  shared = {
    member: await addMember(api.db, org.id, { email: 'agent@example.com' }),
    insight: (await insightsOf(org))[0]?.id ?? '',
    workflow: (await activate(org, { trigger_type: 'manual-trigger' })).id,
    action: await created(org.post('/actions', ping)),
  };
});
afterAll(async () => {
  await api.close();
  await shop.close();
});

const PARAMETERS = { parameters: [{ name: 'order', in: 'query', schema: { type: 'string' } }] };

async function created(answer: ReturnType<Client['post']>): Promise<string> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body.id;
}

/** Reads of each tool what the document says of the answers of its operation. Undefined: one without a body. */
async function readAnswers() {
  const document = (await api.client().get('/openapi.json')).body;
  return (name: string) => {
    const { method, path } = TOOLS.find((tool) => tool.name === name) ?? {};
    const found = operationsOf(document).find((one) => one.method === method?.toLowerCase() && one.path === path);
    return Object.entries(found?.operation.responses ?? {})
      .filter(([status]) => status.startsWith('2'))
      .map(([, { content }]) => {
        const schema = content?.['application/json']?.schema;
        return schema && { ...schema, components: document.components };
      });
  };
}

/** A customer's conversation and all else that tools can be called about, of which no other key has changed anything. */
async function newSubjects(): Promise<Subjects> {
  const email = `${crypto.randomUUID()}@example.com`;
  const contact = await created(org.post('/contacts', { contact: { email } }));
  const session = await created(org.post('/chat/sessions', { contact_id: contact, channel: { type: 'web' } }));
  const message = { type: 'text', text: 'Where is my parcel?' };
  await created(org.post(`/chat/sessions/${session}/send`, { sender: 'contact', message }));
  const sequence = await created(
    org.post('/sequences', {
      name: 'News',
      is_continuous: false,
      filter: inDomain('none.example'),
      steps: [emailStep('News')],
    }),
  );
  const asking = await older(api.url, org.key);
  const { structuredContent } = await asking.call('send_message', { id: session, text: 'Which order is it?' });
  await asking.close();
  const { confirmation_id: confirmation } = structuredContent as { confirmation_id: string };
  return { email, contact, session, sequence, confirmation, ...shared };
}

/** Returns what the operation of a tool has answered. */
const bodyOf = ({ content, structuredContent }: Result): unknown => {
  const text = content[1]?.text ?? '';
  const body = text === 'Done.' ? undefined : JSON.parse(text);
  if (structuredContent !== undefined) expect(structuredContent).toEqual(body);
  return body;
};

const isAllowed = (tool: string, body: unknown) =>
  answersOf(tool).some((schema) =>
    schema === undefined ? body === undefined : new Validator(schema, '2020-12').validate(body).valid,
  );

/** Has a person confirm what a call asked for, and returns what came of it. */
async function confirmed({ structuredContent }: Result) {
  const { confirmation_id, state } = structuredContent as { confirmation_id: string; state: string };
  expect(state).toBe('needs_confirmation');
  return (await person.post(`/mcp/confirmations/${confirmation_id}/confirm`)).body;
}

async function callEach(assistant: Assistant, tools: string[]): Promise<void> {
  const subjects = await newSubjects();
  for (const tool of tools) {
    const result = await assistant.call(tool, ARGUMENTS[tool]?.(subjects));
    expect([tool, result.isError, result.isError ? textOf(result) : '']).toEqual([tool, undefined, '']);
    if (ASKS_PERSON.includes(tool)) {
      const { state, answer } = await confirmed(result);
      expect([tool, state, isAllowed(tool, answer ?? undefined)]).toEqual([tool, 'done', true]);
    } else expect([tool, isAllowed(tool, bodyOf(result))]).toEqual([tool, true]);
  }
}

describe.each(CLIENTS.map(([name, connect], nth) => ({ name, connect, sets: setsOf(nth) })))(
  '$name',
  ({ connect, sets }) => {
    it.each(sets)('with %s lists just its tools and calls each; the others are refused', async (_name, scopes) => {
      const wanted = scopes.flatMap((scope) => TOOLS_OF_SCOPES[scope] ?? []);
      const { key } = await org.withScopes(...scopes);
      const assistant = await connect(api.url, key);
      const listed = (await assistant.tools()).map(({ name }) => name);
      expect(listed.toSorted()).toEqual(wanted.toSorted());
      await callEach(assistant, listed);
      for (const tool of EVERY_TOOL.filter((name) => !wanted.includes(name)))
        await expect(assistant.call(tool, {})).rejects.toThrow(`Tool ${tool} not found`);
      for (const scope of EVERY_SCOPE.filter((name) => !scopes.includes(name)))
        expect(assistant.instructions).toContain(scope);
      await assistant.close();
    });
  },
);

it('each tool is in the table of this test with arguments, and has answers that a schema can tell from others', () => {
  expect(EVERY_TOOL.toSorted()).toEqual(TOOLS.map(({ name }) => name).toSorted());
  expect(Object.keys(ARGUMENTS).toSorted()).toEqual(EVERY_TOOL.toSorted());
  for (const tool of EVERY_TOOL) expect([tool, isAllowed(tool, { id: 7 })]).toEqual([tool, false]);
});
