import { inTransaction } from '../../../src/db/transaction.ts';
import { addMessage } from '../../support/messages.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { unverified } from '../../widget/client.ts';

const SUMMARY = 'Customer: The lamp that I bought is broken.\nAgent: We send a new one tomorrow.';
const WANTED = { generate_summary_and_sentiment_on_resolve: true };
const RESOLVED = { status: 'closed_resolved' };

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const say = (org: TestOrg, id: string, sender: string, text: string) =>
  org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text } });
const session = async (org: TestOrg, id: string) => (await org.get(`/chat/sessions/${id}`)).body;
const update = (org: TestOrg, id: string, change: object) => org.patch(`/chat/sessions/${id}`, change);

async function newConversation(org: TestOrg): Promise<string> {
  const { id } = (await org.post('/chat/sessions', {})).body;
  await say(org, id, 'contact', 'Hi! The lamp that I bought is broken.');
  await say(
    org,
    id,
    'agent',
    'Hello Ann,\nWe send a new one tomorrow.\n\nKind regards,\nBob of the best lamp shop in town',
  );
  return id;
}

describe('the summary of a resolved session', () => {
  it('is there if the request that resolves it asks for one, and only then', async () => {
    const [asked, other] = [await newConversation(api.org), await newConversation(api.org)];
    expect((await update(api.org, asked, { ...RESOLVED, ...WANTED })).status).toBe(200);
    await update(api.org, other, RESOLVED);
    expect(await session(api.org, asked)).toMatchObject({
      summary: SUMMARY,
      summary_by: 'extractive-1',
      sentiment: null,
    });
    expect(await session(api.org, other)).toMatchObject({ summary: null, summary_by: null });
  });

  it('is not made by any other change', async () => {
    const id = await newConversation(api.org);
    await update(api.org, id, { ...WANTED, custom_data: { order: '17' } });
    await update(api.org, id, { ...WANTED, status: 'closed_unresolved' });
    expect(await session(api.org, id)).toMatchObject({ summary: null, summary_by: null });
  });

  it('is there for all who resolve it where the org has set that, unless the request refuses it', async () => {
    const org = await api.createOrg();
    await org.patch('/org/settings', WANTED);
    const [byAgent, refused] = [await newConversation(org), await newConversation(org)];
    await update(org, byAgent, RESOLVED);
    await update(org, refused, { ...RESOLVED, generate_summary_and_sentiment_on_resolve: false });
    const widget = await unverified(api, org);
    const byVisitor = await widget.newSession();
    await widget.send(byVisitor, 'The lamp that I bought is broken.');
    await widget.post('session/resolve', { session_id: byVisitor });
    expect(await session(org, byAgent)).toMatchObject({ summary: SUMMARY, summary_by: 'extractive-1' });
    expect(await session(org, refused)).toMatchObject({ summary: null, summary_by: null });
    expect(await session(org, byVisitor)).toMatchObject({ status: 'closed_resolved', summary: SUMMARY.split('\n')[0] });
  });

  it('is the same after concurrent resolutions, and follows what is said until the next one', async () => {
    const id = await newConversation(api.org);
    await Promise.all(Array.from({ length: 10 }, () => update(api.org, id, { ...RESOLVED, ...WANTED })));
    expect((await session(api.org, id)).summary).toBe(SUMMARY);
    await update(api.org, id, { status: 'open' });
    await say(api.org, id, 'contact', 'The new lamp is broken too, and now I want my money.');
    expect((await session(api.org, id)).summary).toBe(SUMMARY);
    await update(api.org, id, { ...RESOLVED, ...WANTED });
    expect((await session(api.org, id)).summary).toBe(
      `${SUMMARY}\nCustomer: The new lamp is broken too, and now I want my money.`,
    );
  });

  it('stays as somebody wrote it', async () => {
    const id = await newConversation(api.org);
    await api.db.updateTable('sessions').set({ summary: 'A broken lamp' }).where('id', '=', id).execute();
    await update(api.org, id, { ...RESOLVED, ...WANTED });
    expect(await session(api.org, id)).toMatchObject({ summary: 'A broken lamp', summary_by: null });
  });

  it('is null where nobody has said anything', async () => {
    const { id } = (await api.org.post('/chat/sessions', {})).body;
    expect((await update(api.org, id, { ...RESOLVED, ...WANTED })).status).toBe(200);
    expect(await session(api.org, id)).toMatchObject({ summary: null, summary_by: null });
  });

  it('is of the first 10 and the last 200 messages of a long session', async () => {
    const { id } = (await api.org.post('/chat/sessions', {})).body;
    const text = (nth: number) => {
      if (nth === 9) return 'The tenth message is long too, and was read.';
      if (nth === 10)
        return 'The eleventh message is by far the longest of all of them, and yet nobody has read it here.';
      return nth === 0 ? 'The lamp that I bought is broken.' : `Part ${nth}`;
    };
    await inTransaction(api.db, async (trx) => {
      for (let nth = 0; nth < 212; nth++) {
        const message = { id: crypto.randomUUID(), sessionId: id, sender: 'contact' as const, content: text(nth) };
        await addMessage(trx, api.org.id, message);
      }
    });
    await update(api.org, id, { ...RESOLVED, ...WANTED });
    const { summary } = await session(api.org, id);
    expect(summary).toContain('The lamp that I bought is broken.');
    expect(summary).toContain('The tenth message');
    expect(summary).not.toContain('The eleventh message');
  });

  it('and its sentiment are removed by the redaction of the session, or of one message', async () => {
    for (const kind of ['session', 'message']) {
      const id = await newConversation(api.org);
      await api.org.post(`/chat/sessions/${id}/handoff`, {});
      await update(api.org, id, { ...RESOLVED, ...WANTED });
      await api.db.updateTable('sessions').set({ sentiment: 'angry' }).where('id', '=', id).execute();
      const [{ id: messageId }] = (await api.org.get(`/chat/sessions/${id}/history`)).body.items;
      const body = kind === 'session' ? { sessionId: id } : { messageId };
      expect((await api.org.post(`/redaction/${kind}`, body)).status).toBe(200);
      expect(await session(api.org, id)).toMatchObject({
        summary: null,
        summary_by: null,
        sentiment: null,
        handoff: { summary: null, sentiment: null },
      });
    }
  });

  it('has no redacted text if the session is resolved after the redaction', async () => {
    const id = await newConversation(api.org);
    const [{ id: messageId }] = (await api.org.get(`/chat/sessions/${id}/history`)).body.items;
    await api.org.post('/redaction/message', { messageId });
    await update(api.org, id, { ...RESOLVED, ...WANTED });
    expect((await session(api.org, id)).summary).toBe('Agent: We send a new one tomorrow.');
  });
});

it('a handoff shows the summary of the conversation so far to the desk', async () => {
  const id = await newConversation(api.org);
  const { body } = await api.org.post(`/chat/sessions/${id}/handoff`, { reason: 'Asked for a human' });
  expect(body.handoff).toMatchObject({ summary: SUMMARY, sentiment: null, reason: 'Asked for a human' });
  expect((await session(api.org, id)).handoff.summary).toBe(SUMMARY);
});
