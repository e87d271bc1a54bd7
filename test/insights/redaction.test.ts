import { FAKES_ALLOWED } from '../support/channels.ts';
import { type FakeModel, startFakeModel } from '../support/fakes/model.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { historiesWith, rowsWith } from '../support/stack/traces.ts';
import { extracted, insightsOf, resolvedSaying } from './support.ts';

const PARCEL = 'My parcel has not arrived although it was sent two weeks ago';
const EVENTS = ['insight.created', 'insight.reopened', 'insight.resolved', 'conversation.contact_response'];

let stack: Stack;
let model: FakeModel;
let receiver: WebhookReceiver;
beforeAll(async () => {
  model = await startFakeModel(
    ({ messages }) => {
      const asked = messages.at(-1)?.content ?? '';
      const [word = 'parcel'] = /zircon\w+/.exec(asked) ?? [];
      if (messages[0]?.content.startsWith('You name')) return { json: { name: `Parcels with ${word} are late` } };
      const quote = /My parcel[^"]*/.exec(asked)?.[0] ?? '';
      const content = `A parcel with ${word} has not arrived`;
      return { json: { statements: [{ kind: 'problem', content, quote, message: 1, sentiment: 'angry' }] } };
    },
    ['statements', 'names'],
  );
  receiver = await startWebhookReceiver();
  receiver.answer = ({ raw }, response) => void response.writeHead(200).end(`I have read ${raw}`);
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await Promise.all([receiver.close(), model.close()]);
});

/** An org with a model, whose webhooks tell of insights to somebody who repeats them. */
async function tellingOrg(): Promise<TestOrg> {
  const org = await stack.createOrg();
  await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  const { body } = await org.post('/webhooks', { url: receiver.url, event_types: EVENTS });
  receiver.secrets.push(body.secret);
  return org;
}

const toldOf = (word: string, type: string) =>
  eventually(`${type} with ${word}`, async () =>
    receiver.received.some(({ raw, body }) => body.type === type && raw.includes(word)) ? true : undefined,
  );

const withoutTrace = (word: string) =>
  eventually(`no row with ${word}`, async () => (await rowsWith(stack.db, word)).length === 0 || undefined).catch(
    async () => expect(await rowsWith(stack.db, word)).toEqual([]),
  );

describe('the redaction of a session', () => {
  it('leaves no word of it in any table, history or stored webhook, and the insight to the others', async () => {
    const word = `zirconium${Date.now()}`;
    const org = await tellingOrg();
    const session = await resolvedSaying(stack, org, `My parcel with the ${word} ring has not arrived`);
    await toldOf(word, 'insight.created');
    const [insight] = await insightsOf(org);
    await org.post(`/insights/${insight?.id}/resolve`);
    await toldOf(word, 'insight.resolved');
    const other = await resolvedSaying(stack, org, `${PARCEL}, with the same ring`);
    const [occurrence] = (await org.get(`/insights/${insight?.id}/occurrences`)).body.items;
    expect(occurrence.session_id).toBe(other);
    await eventually('a name by the model', async () =>
      (await insightsOf(org))[0]?.content === `Parcels with ${word} are late` ? true : undefined,
    );
    const kept = (await rowsWith(stack.db, word)).map((row) => row.split(':')[0]);
    for (const table of ['insights', 'insight_statements', 'session_events', 'webhook_deliveries', 'webhook_attempts'])
      expect(kept).toContain(table); // so that the search below can fail

    expect((await org.post('/redaction/session', { sessionId: session })).status).toBe(200);
    await withoutTrace(word);
    expect(await historiesWith(stack.temporal, org.id, session)).not.toEqual([]); // they were read
    expect(await historiesWith(stack.temporal, org.id, word)).toEqual([]);
    expect(await insightsOf(org)).toMatchObject([{ id: insight?.id, number: 1, occurrence_count: 1 }]);
    const deliveries = await stack.db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('org_id', '=', org.id)
      .execute();
    expect(deliveries.length).toBeGreaterThanOrEqual(3); // what was told is still known to have been told
  });

  it('leaves no word of a merged insight, nor of one that was split off', async () => {
    const word = `zirconia${Date.now()}`;
    const org = await tellingOrg();
    const session = await resolvedSaying(stack, org, `My parcel with the ${word} ring has not arrived`);
    await resolvedSaying(stack, org, PARCEL);
    const [insight] = await insightsOf(org);
    const { items } = (await org.get(`/insights/${insight?.id}/occurrences`)).body;
    const said = items.find((one: { session_id: string }) => one.session_id === session);
    const split = (await org.post(`/insights/${insight?.id}/split`, { occurrence_ids: [said.id] })).body;
    expect(split.insight.content).toContain(word);
    await org.post(`/insights/${insight?.id}/merge`, { insight_ids: [split.insight.id] });
    await org.post('/redaction/session', { sessionId: session });
    await withoutTrace(word);
    expect(await historiesWith(stack.temporal, org.id, word)).toEqual([]);
  });
});

describe('the redaction of a message', () => {
  it('keeps the insights of what other messages say with all that people have said of them', async () => {
    const org = await stack.createOrg();
    const session = await resolvedSaying(stack, org, PARCEL, 'My address is 12 Main Street');
    const [insight] = await insightsOf(org);
    await org.patch(`/insights/${insight?.id}`, { content: 'Late parcels' });
    await org.post(`/insights/${insight?.id}/resolve`);
    const [before] = await insightsOf(org);
    const messages = await stack.db
      .selectFrom('session_events')
      .select('id')
      .where('org_id', '=', org.id)
      .where('session_id', '=', session)
      .where('type', '=', 'message')
      .orderBy('seq')
      .execute();
    const [said, address] = messages.map(({ id }) => id);
    const redact = (messageId: string | undefined) => org.post('/redaction/message', { messageId });
    expect((await redact(address)).status).toBe(200);
    await extracted(stack, org, session, 2);
    expect(await insightsOf(org)).toEqual([before]);

    expect((await redact(said)).status).toBe(200);
    await extracted(stack, org, session, 3);
    expect(await insightsOf(org)).toMatchObject([
      { id: insight?.id, content: 'Redacted', status: 'archived', occurrence_count: 0 },
    ]);
  });
});
