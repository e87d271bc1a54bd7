import { newCalibratedOrg, QUESTION } from '../ai/answering-org.ts';
import { startFakeProvider } from '../support/fakes/provider.ts';
import { startWebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import { mailOf } from '../support/mails.ts';
import { handOver } from '../support/smtp.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';
import { type Stack, startStack } from '../support/stack/stack.ts';
import { countStatements, MAX_UNITS, type StatementCounter } from '../support/stack/statements.ts';
import { activate } from '../support/triggers.ts';
import { createEndpoint } from '../webhooks/endpoints.ts';

const INBOUND_DOMAIN = 'in.acme.example';

/** What a unit of work needs: an api by itself, the whole of Switchboard, and a receiver of its calls. */
interface Programs {
  api: TestApi;
  stack: Stack;
  /** The address of a system that answers every call with 200. */
  url: string;
  /** The counter of the api by itself, and that of the whole. */
  ofApi: StatementCounter;
  ofStack: StatementCounter;
}

const closing: (() => unknown)[] = [];
let programs: Programs;
beforeAll(async () => {
  const inbound = { HOST: '127.0.0.1', INBOUND_DOMAIN, INBOUND_SMTP_PORT: '0', DEVELOPMENT: 'true' };
  const env = { EGRESS_ALLOW: '127.0.0.0/8', ...inbound };
  const api = await startApi({ isInProcess: true });
  const stack = await startStack({ env });
  const shop = await startFakeProvider();
  const [ofApi, ofStack] = [await countStatements(api.databaseUrl), await countStatements(stack.databaseUrl)];
  closing.push(ofStack.close, ofApi.close, shop.close, stack.close, api.close);
  programs = { api, stack, url: shop.url, ofApi, ofStack };
});
afterAll(async () => {
  for (const close of closing) await close();
});

const ORDER = { total: 250 };
/** A condition, and a call behind it. */
const blocksThatCall = (url: string) => [
  {
    $kind: 'Block',
    id: 'big',
    type: 'if-else',
    inputs: { condition: { operatorName: 'greater_than', left: '{{trigger.output.body.total}}', right: 100 } },
    branches: {
      // biome-ignore lint/suspicious/noThenProperty: the definitions' own word
      then: [{ $kind: 'Action', id: 'call', type: 'send-webhook', name: 'Call', input: { url, body: ORDER } }],
    },
  },
];

/** Starts a run by the webhook of a workflow. Resolves to the run's id. */
async function postWebhook(org: TestOrg, webhookUrl: string): Promise<string> {
  const { status, body } = await org.post(new URL(webhookUrl).pathname, ORDER);
  expect({ status, body }).toMatchObject({ status: 202, body: { run_id: expect.any(String) } });
  return body.run_id;
}

const sessionOf = async (org: TestOrg): Promise<string> => (await org.post('/chat/sessions', {})).body.id;
const ask = (org: TestOrg, session: string) =>
  org.post(`/chat/sessions/${session}/send`, { sender: 'contact', message: { type: 'text', text: QUESTION } });

const EMPTY_OUTBOX = 'select where not exists (select from outbox where org_id = $1)';

/** The units of work that are done most, and how each is done once. */
const HOT_PATHS: Record<string, (programs: Programs, most: number) => Promise<string[]>> = {
  async 'a webhook of a workflow is accepted'({ api, ofApi }, most) {
    const { url } = await activate(api.org, { trigger_type: 'webhook', workflow_blocks: blocksThatCall(api.url) });
    return ofApi.fewest(most, async () => void (await postWebhook(api.org, url)));
  },

  async 'a run goes from its webhook to its end'({ stack: { org }, url, ofStack }, most) {
    const workflow = await activate(org, { trigger_type: 'webhook', workflow_blocks: blocksThatCall(url) });
    return ofStack.fewest(most, async () => {
      const run = await postWebhook(org, workflow.url);
      await ofStack.until(`select from automation_runs where id = $1 and status = 'completed'`, [run]);
      await ofStack.until(EMPTY_OUTBOX, [org.id]);
    });
  },

  async 'a mail goes from its request to its end'({ stack: { org }, ofStack }, most) {
    const recipients = [{ to_email: 'ann@example.com', email_subject: 'Hi', email_body: 'Hello' }];
    return ofStack.fewest(most, async () => {
      const { body } = await org.post('/email', { from_email: 'hello@acme.example', recipients });
      await ofStack.until(`select from deliveries where id = $1 and status in ('accepted', 'sent')`, [body.data[0].id]);
      await ofStack.until(EMPTY_OUTBOX, [org.id]);
    });
  },

  async 'an e-mail goes from the socket to its session'({ stack, ofStack }, most) {
    const org = await stack.createOrg();
    const inbox = `${org.id}@${INBOUND_DOMAIN}`;
    await org.put('/email/inboxes', { address: inbox });
    let mails = 0;
    return ofStack.fewest(most, async () => {
      const from = `ann${++mails}@example.com`;
      const raw = mailOf({ From: from, To: inbox, Subject: 'My order' }, 'Where is it?');
      await handOver(stack.inboundPort, { from, to: inbox, raw });
      await ofStack.until(
        'select from session_events where org_id = $1 having count(*) filter (where type = $2) = $3',
        [org.id, 'message', mails],
      );
      await ofStack.until(EMPTY_OUTBOX, [org.id]);
    });
  },

  async 'a message of a contact is accepted'({ api: { org }, ofApi }, most) {
    const session = await sessionOf(org);
    return ofApi.fewest(most, async () => expect((await ask(org, session)).status).toBe(201));
  },

  async 'the AI answers a message by a quote'({ stack, ofStack }, most) {
    const org = await newCalibratedOrg(stack);
    const newSession = async (): Promise<string> =>
      (await org.post('/chat/sessions', { channel: { type: 'api' } })).body.id;
    const sessions = await Promise.all(Array.from({ length: MAX_UNITS + 1 }, newSession));
    return ofStack.fewest(most, async () => {
      const session = sessions.pop() ?? '';
      await ask(org, session);
      await ofStack.until('select from ai_turns where session_id = $1 and ended_at is not null', [session]);
      await ofStack.until(EMPTY_OUTBOX, [org.id]);
    });
  },

  async 'a webhook goes from its event to its delivery'({ stack, ofStack }, most) {
    const org = await stack.createOrg();
    const receiver = await startWebhookReceiver();
    closing.unshift(receiver.close);
    const { id } = await createEndpoint(org, receiver, { event_types: ['contact.created'] });
    let contacts = 0;
    return ofStack.fewest(most, async () => {
      await org.post('/contacts', { contact: { email: `${++contacts}@example.com` } });
      await ofStack.until(
        `select from webhook_deliveries where endpoint_id = $1 and status = 'delivered' having count(*) = $2`,
        [id, contacts],
      );
      await ofStack.until(EMPTY_OUTBOX, [org.id]);
    });
  },
};

/**
 * How many statements each may take, with those that begin and commit transactions. Who adds one raises a number here, and
 * says why.
 */
it.each<[name: keyof typeof HOT_PATHS, most: number]>([
  ['a webhook of a workflow is accepted', 2],
  ['a run goes from its webhook to its end', 5],
  ['a mail goes from its request to its end', 15], // one asks whether the operator has paused all sending
  ['an e-mail goes from the socket to its session', 50],
  ['a message of a contact is accepted', 2],
  ['the AI answers a message by a quote', 63],
  ['a webhook goes from its event to its delivery', 12],
])('%s with at most %d statements', async (name, most) => {
  const statements = (await HOT_PATHS[name]?.(programs, most)) ?? [];
  const count = statements.length;
  expect(count > most ? { count, statements } : { count, statements: [] }).toEqual({ count, statements: [] });
});
