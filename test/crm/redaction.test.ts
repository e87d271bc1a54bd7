import { decompressBody } from '../../src/crm/inbound/batch-parsing.service.ts';
import { connectHubspot, historyOf, type OrgWithHubspot, sessionOfThread } from '../support/crm.ts';
import type { Fault } from '../support/fakes/faulty-server.ts';
import { refuses } from '../support/fakes/hubspot/server.ts';
import { changeOf, eventOf } from '../support/fakes/hubspot/webhooks.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { historiesWith, rowsWith } from '../support/stack/traces.ts';

const TICKETS = '/crm/v3/objects/tickets';

let stack: Stack;
let crm: OrgWithHubspot;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  await stack.org.patch('/org/settings', { handoff_target: 'crm' });
  crm = await connectHubspot(stack.org);
});
afterAll(async () => {
  await crm.hubspot.close();
  await stack.close();
});

/** Returns every row, and every body posted by a CRM, with the word. */
async function leftOf(word: string): Promise<string[]> {
  const batches = await stack.db.selectFrom('crm_batches').select('body').execute();
  const bodies = batches.map(({ body }) => decompressBody(body)).filter((body) => body.includes(word));
  return [...(await rowsWith(stack.db, word)), ...bodies];
}

const session = async (id: string) => (await stack.org.get(`/chat/sessions/${id}`)).body;
const say = (id: string, text: string) =>
  stack.org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message: { type: 'text', text } });

/** Hands off a HubSpot conversation, with the word quoted by HubSpot wherever possible. */
async function quoted(word: string) {
  const contact = crm.hubspot.addContact({ email: `${crypto.randomUUID()}@example.com` });
  const threadId = crm.hubspot.openThread(contact.id);
  await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: `I am ${word}` })));
  const { id } = await sessionOfThread(stack.org, threadId);
  const path = new RegExp(`/threads/${threadId}/messages$`);
  crm.hubspot.next('POST', path, refuses(503, `busy with ${word}`), refuses(400, `${word} is not allowed`));
  await say(id, `Hello ${word}`);
  await eventually('a note of it', async () =>
    (await historyOf(stack.org, id)).some((line) => line.includes('not allowed')),
  );
  crm.hubspot.next('POST', TICKETS, refuses(500, `sorry, ${word}`), refuses(400, `${word} is a bad subject`));
  await stack.org.post(`/chat/sessions/${id}/handoff`, { reason: `Because of ${word}` });
  const failed = await eventually('a refused ticket', async () => {
    const { parts } = (await session(id)).handoff;
    return parts.find(({ part, state }: { part: string; state: string }) => part === 'ticket' && state === 'failed');
  });
  expect(failed.error).toContain(word);
  return { id };
}

describe('a redaction of a HubSpot conversation', () => {
  it('removes its words everywhere, including HubSpot’s quotations', async () => {
    const word = `zebra${Date.now()}`;
    const { id } = await quoted(word);
    await stack.org.post(`/chat/sessions/${id}/handoff/settle`, { part: 'ticket', external_id: '777001' });
    const changes = [
      changeOf('777001', 'content', `Summary: I am ${word}`),
      changeOf('777001', 'subject', word),
      changeOf('777001', 'plan', 'PRO'),
    ];
    for (const events of [changes, [...changes].reverse()]) await crm.deliver(...events);
    await eventually('the properties', async () => Object.keys((await session(id)).custom_data).length === 3);

    expect((await stack.org.post('/redaction/session', { sessionId: id })).status).toBe(200);
    await eventually('the words are gone', async () => (await leftOf(word)).length === 0).catch(async () =>
      expect(await leftOf(word)).toEqual([]),
    );
    expect(await historiesWith(stack.temporal, stack.org.id, id)).not.toEqual([]); // the histories were read
    expect(await historiesWith(stack.temporal, stack.org.id, word)).toEqual([]);
    expect((await session(id)).custom_data).toEqual({ plan: 'PRO' });
    const bodies = (await stack.db.selectFrom('crm_batches').select('body').execute()).map(({ body }) =>
      decompressBody(body),
    );
    expect(bodies.filter((body) => body.includes('PRO'))).toHaveLength(2);

    await crm.deliver(changeOf('777001', 'plan', 'FREE'));
    await eventually('what comes later', async () => (await session(id)).custom_data.plan === 'FREE');
  });

  it('removes HubSpot’s quotations of a single redacted message', async () => {
    const word = `giraffe${Date.now()}`;
    const { id } = await quoted(word);
    const { items } = (await stack.org.get(`/chat/sessions/${id}/history`)).body;
    for (const { id: messageId, event } of items) {
      if (event.type === 'message') await stack.org.post('/redaction/message', { messageId });
    }
    const left = () => leftOf(word).then((rows) => rows.filter((row) => !row.includes('Because of')));
    await eventually('the words are gone', async () => (await left()).length === 0).catch(async () =>
      expect(await left()).toEqual([]),
    );
  });

  it('keeps its words out if HubSpot reports or delivers them afterwards', async () => {
    const word = `lemur${Date.now()}`;
    const { id } = (await stack.org.post('/chat/sessions', {})).body;
    await stack.org.post(`/chat/sessions/${id}/handoff`, {});
    await eventually('the ticket', async () => (await session(id)).handoff.state === 'done');
    const ticketId = (await session(id)).ticketing_system.external_id;
    await stack.org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text: word } });
    const before = changeOf(ticketId, 'subject', word);
    await crm.deliver(before);
    await eventually('the subject', async () => (await session(id)).custom_data.subject === word);
    expect((await stack.org.post('/redaction/session', { sessionId: id })).status).toBe(200);
    await eventually('the words are gone', async () => (await leftOf(word)).length === 0);

    await crm.deliver(before, changeOf(ticketId, 'content', `Summary: ${word}`));
    const batch = await stack.db
      .selectFrom('crm_batches')
      .select('id')
      .orderBy('received_at', 'desc')
      .executeTakeFirst();
    const late = { property_name: 'subject', property_value: `#1 ${word}` };
    await stack.db
      .insertInto('crm_events')
      .values({
        org_id: stack.org.id,
        dedupe_key: `received while it was redacted ${word.length}`,
        batch_id: batch?.id ?? '',
        queue: `ticket/${ticketId}`,
        type: 'ticket.propertyChange',
        object_id: ticketId,
        occurred_at: new Date(),
        payload: JSON.stringify(late),
      })
      .execute();
    await crm.deliver(changeOf(ticketId, 'plan', 'PRO'));
    await eventually('what comes later', async () => (await session(id)).custom_data.plan === 'PRO');
    expect(await leftOf(word)).toEqual([]);
    expect((await session(id)).custom_data).toEqual({ plan: 'PRO' });
    const { items } = (await stack.org.get('/crm/inbound')).body;
    expect(items.every(({ states }: { states: { queued: number } }) => states.queued === 0)).toBe(true);
  });

  it('keeps its words out of the answers to calls that were under way', async () => {
    const word = `quokka${Date.now()}`;
    const { promise: isRedacted, resolve: goOn } = Promise.withResolvers<void>();
    const refusal = { ...refuses(400, `${word} is not allowed`), until: isRedacted } as Fault;
    const threadId = crm.hubspot.openThread();
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Hello' })));
    const { id } = await sessionOfThread(stack.org, threadId);
    const path = new RegExp(`/threads/${threadId}/messages$`);
    crm.hubspot.next('POST', path, refusal);
    await say(id, `Hello ${word}`);
    await eventually('the call', () => crm.hubspot.requests('POST', path).length === 1);
    const other = (await stack.org.post('/chat/sessions', {})).body.id;
    await stack.org.post(`/chat/sessions/${other}/send`, { sender: 'contact', message: { type: 'text', text: word } });
    const tickets = crm.hubspot.requests('POST', TICKETS).length;
    crm.hubspot.next('POST', TICKETS, refusal);
    await stack.org.post(`/chat/sessions/${other}/handoff`, {});
    await eventually('the call', () => crm.hubspot.requests('POST', TICKETS).length > tickets);
    for (const sessionId of [id, other])
      expect((await stack.org.post('/redaction/session', { sessionId })).status).toBe(200);
    await eventually('the words are gone', async () => (await leftOf(word)).length === 0);

    goOn();
    const message = () =>
      stack.db.selectFrom('crm_messages').select('state').where('session_id', '=', id).executeTakeFirstOrThrow();
    await eventually('the end of the call', async () => (await message()).state === 'skipped');
    const ticket = await eventually('a refused ticket', async () =>
      (await session(other)).handoff.parts.find(
        ({ part, state }: { part: string; state: string }) => part === 'ticket' && state === 'failed',
      ),
    );
    expect(ticket.error).toContain('(400)');
    expect(await leftOf(word)).toEqual([]);
  });

  it('shows only the status of calls that end soon after it: they may have begun before', async () => {
    const { id } = await quoted(`okapi${Date.now()}`);
    await stack.org.post('/redaction/session', { sessionId: id });
    const errorOf = async () => {
      const { items } = (await stack.org.get('/integrations')).body;
      return items.find(({ kind }: { kind: string }) => kind === 'crm').last_error as string | null;
    };
    await eventually('the errors to be cut', async () => !(await errorOf())?.includes('okapi'));
    const word = `late${Date.now()}`;
    await quoted(word);
    await eventually('a later error', async () => {
      const [row] = await rowsWith(stack.db, 'HubSpot answered 400');
      return row !== undefined;
    });
    expect(await errorOf()).not.toContain(word);
  });
});
