import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { newAnsweringOrg, QUESTION } from '../../ai/answering-org.ts';
import { connectTwilio, FAKES_ALLOWED, newNumber } from '../../support/channels.ts';
import { type FakeTwilio, refusesWith, startFakeTwilio } from '../../support/fakes/twilio.ts';
import { startApi, type TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack, untilPasses } from '../../support/stack/stack.ts';
import { historiesWith, rowsWith } from '../../support/stack/traces.ts';

describe('a redaction', () => {
  let stack: Stack;
  let twilio: FakeTwilio;
  let org: TestOrg;
  let smsUrl: string;
  beforeAll(async () => {
    twilio = await startFakeTwilio();
    stack = await startStack({ env: FAKES_ALLOWED });
  });
  afterAll(async () => {
    await stack.close();
    await twilio.close();
  });
  beforeEach(async () => {
    org = await stack.createOrg();
    smsUrl = await connectTwilio(org, twilio);
  });

  const send = (id: string, sender: string, text: string, attachments: object[] = []) =>
    org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text, attachments } });
  const history = async (id: string) => (await org.get(`/chat/sessions/${id}/history`)).body.items;
  const newSession = async (body: object = {}) => (await org.post('/chat/sessions', body)).body.id as string;

  it('the redaction of a session leaves its texts nowhere: neither in the database nor in Temporal nor in file storage', async () => {
    const [secret, other] = [`zebra${Date.now()}`, `giraffe${Date.now()}`];
    const number = newNumber();
    await twilio.receive({ from: number, to: '+15005550006', body: `I am ${secret}` }, smsUrl);
    const [{ id }] = (await org.get('/chat/sessions')).body.items;
    const file = { name: `${secret}.txt`, base64: Buffer.from(secret).toString('base64') };
    expect((await send(id, 'agent', `Hello ${secret}`, [file])).status).toBe(201);
    await org.post(`/chat/sessions/${id}/notes`, { text: `Says ${secret}` });
    await org.post(`/chat/sessions/${id}/handoff`, { reason: `Because of ${secret}` });
    await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved', session_closed_payload: { by: secret } });
    await send(await newSession(), 'contact', other);
    const { id: sent, event } = (await history(id))[1];
    const { url } = event.attachments[0];
    await eventually(
      'the SMS',
      async () => (await org.get('/deliveries?channel=sms')).body.items[0]?.status === 'accepted',
    );
    await eventually('the outbox is empty', async () =>
      (await rowsWith(stack.db, secret)).every((row) => !row.startsWith('outbox')),
    );

    const { status, body } = await org.post('/redaction/session', { sessionId: id, reason: 'Asked for it' });
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        message: 'The session is redacted',
        itemId: id,
        redactionType: 'session',
        affectedCount: 4,
        messagesRedacted: 2,
      },
    ]);
    // Insights are redacted by a reaction to the event.
    expect((await rowsWith(stack.db, secret)).filter((row) => !row.startsWith('insight'))).toEqual([]);
    await untilPasses(async () => expect(await rowsWith(stack.db, secret)).toEqual([]));
    expect(await rowsWith(stack.db, other)).not.toEqual([]);
    expect((await fetch(url)).status).toBe(404);
    await eventually(
      'the bytes are gone',
      async () => (await stack.db.selectFrom('media').select('id').execute()).length === 0,
    );
    expect(await historiesWith(stack.temporal, org.id, sent)).not.toEqual([]); // proof of the histories being searched
    expect(await historiesWith(stack.temporal, org.id, secret)).toEqual([]);
    expect(await history(id)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          redacted: true,
          event: expect.objectContaining({ type: 'message', content: { type: 'text', text: null }, attachments: [] }),
        }),
        expect.objectContaining({ event: { type: 'redacted', message_id: null } }),
      ]),
    );
    const audit = await stack.db.selectFrom('redactions').selectAll().where('org_id', '=', org.id).execute();
    expect(audit).toMatchObject([
      { kind: 'session', session_id: id, reason: 'Asked for it', api_key_id: org.keyId, affected: 4 },
    ]);
    expect((await org.post('/redaction/session', { sessionId: id })).body).toMatchObject({ affectedCount: 0 });
  });

  it('the redaction of a session leaves its texts in no answer to a repeated request, which still changes nothing', async () => {
    const answering = await newAnsweringOrg(stack);
    const { id } = (await answering.post('/chat/sessions', { channel: { type: 'api' } })).body;
    const repeatable = (path: string, body: object) => {
      const headers = { 'idempotency-key': crypto.randomUUID() };
      return () => answering.post(path, body, { headers });
    };
    const send = repeatable(`/chat/sessions/${id}/send`, {
      sender: 'contact',
      message: { type: 'text', text: QUESTION },
    });
    const handOff = repeatable(`/chat/sessions/${id}/handoff`, { reason: 'A zebra' });
    const score = repeatable('/csat/scores', { session_id: id, score: 5, comment: 'Zebras!' });
    const sent = (await send()).body.data;
    expect(sent).toHaveProperty('autopilotResponse.id');
    expect((await handOff()).body.handoff).toMatchObject({ summary: expect.any(String), reason: 'A zebra' });
    await answering.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    const scored = (await score()).body;
    expect(scored.comment).toBe('Zebras!');
    expect([(await send()).body.data, (await score()).body]).toEqual([sent, scored]);

    expect((await answering.post('/redaction/session', { sessionId: id })).status).toBe(200);
    const events = (await answering.get(`/chat/sessions/${id}/history`)).body.items.length;
    const again = [await send(), await handOff(), await score()];
    expect(again.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual(['true', 'true', 'true']);
    const { autopilotResponse, ...withoutAnswer } = sent;
    expect(again[0]?.body.data).toEqual(withoutAnswer);
    expect(again[1]?.body.handoff).toMatchObject({ summary: null, sentiment: null, reason: null, state: 'done' });
    expect(again[2]?.body).toEqual({ ...scored, comment: null });
    expect((await answering.get(`/chat/sessions/${id}/history`)).body.items).toHaveLength(events);
    const stored = stack.db.selectFrom('idempotency_keys').select(['full_answer', 'session_id']);
    expect(await stored.where('principal_id', '=', answering.id).execute()).toEqual(
      [1, 2, 3].map(() => ({ full_answer: null, session_id: null })),
    );
  });

  it('the redaction of a message removes only this message', async () => {
    const id = await newSession();
    await send(id, 'contact', 'my card is 4111');
    await send(id, 'contact', 'thanks');
    const [{ id: messageId }] = await history(id);
    const { body } = await org.post('/redaction/message', { messageId });
    expect(body).toMatchObject({ redactionType: 'message', itemId: messageId, affectedCount: 1 });
    expect((await history(id)).map(({ redacted }: { redacted?: true }) => redacted)).toEqual([
      true,
      undefined,
      undefined,
    ]);
    expect(
      (await history(id)).map(({ event }: { event: { content: { text: string } } }) => event.content?.text),
    ).toEqual([null, 'thanks', undefined]);
    expect((await org.post('/redaction/message', { messageId })).body).toMatchObject({ affectedCount: 0 });
  });

  it('redactions are listed in pages with who, when and why, and never the text', async () => {
    const id = await newSession();
    await send(id, 'contact', 'my card is 4111');
    await send(id, 'contact', 'thanks');
    const [{ id: messageId }] = await history(id);
    await org.post('/redaction/message', { messageId, reason: 'A card number' });
    await org.post('/redaction/session', { sessionId: id });
    const first = (await org.get(`/redaction?session_id=${id}&limit=1`)).body;
    const second = (await org.get(`/redaction?session_id=${id}&limit=1&cursor=${first.next}`)).body;
    const common = { session_id: id, affected: 1, created_at: expect.any(String) };
    expect([...first.items, ...second.items]).toMatchObject([
      { ...common, kind: 'message', message_id: messageId, reason: 'A card number', actor: { kind: 'key' } },
      { ...common, kind: 'session', message_id: null, reason: null, actor: { kind: 'key', name: expect.any(String) } },
    ]);
    expect(second.next).toBeNull();
    expect(JSON.stringify([first, second])).not.toMatch(/4111|thanks/);
    expect((await stack.other.get(`/redaction?session_id=${id}`)).body.items).toEqual([]);
  });

  it('the redaction of a message still to be sent cancels its delivery', async () => {
    const contact = (await org.post('/contacts', { contact: { phone: newNumber() } })).body.id;
    const id = await newSession({ contact_id: contact, channel: { type: 'sms' } });
    twilio.next(...Array.from({ length: 50 }, () => refusesWith(20503, 'Service unavailable', 503)));
    await send(id, 'agent', 'do not send this');
    const [{ id: messageId }] = await history(id);
    await eventually('a redaction between two tries', async () => {
      const { status } = await org.post('/redaction/message', { messageId });
      return status === 200;
    });
    expect((await org.get(`/deliveries/${messageId}`)).body).toMatchObject({ status: 'canceled', reason: 'redacted' });
  });

  it('redactions with an Idempotency-Key need one connection each, and are committed with the stored answer', async () => {
    const small = await startApi({ databaseUrl: stack.databaseUrl, env: { DATABASE_POOL_SIZE: '4' } });
    const client = small.client(org.key);
    const ids = await Promise.all([1, 2, 3].map(() => newSession()));
    const redact = (sessionId: string) =>
      client.post('/redaction/session', { sessionId }, { headers: { 'idempotency-key': `redact ${sessionId}` } });
    for (const id of ids) await send(id, 'contact', 'my card is 4111');
    const answers = await Promise.all(ids.map(redact));
    expect(answers.map(({ status, body }) => [status, body.affectedCount])).toEqual(ids.map(() => [200, 1]));

    const [id = ''] = ids;
    await sql`
      create function break() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger break before insert on idempotency_keys for each row when (new.key = 'unstored') execute function break();
    `.execute(stack.db);
    await send(id, 'contact', 'my other card is 4222');
    const options = { headers: { 'idempotency-key': 'unstored' } };
    expect((await client.post('/redaction/session', { sessionId: id }, options)).status).toBe(500);
    await sql`drop function break cascade`.execute(stack.db);
    expect((await client.post('/redaction/session', { sessionId: id }, options)).body.affectedCount).toBe(1);
    await small.close();
  });

  it('files of a redaction are deleted once the storage is back', async () => {
    let isAway = true;
    const { storage } = stack.deps;
    const remove: typeof storage.delete = (key) => (isAway ? Promise.reject(new Error('away')) : storage.delete(key));
    const api = await startApi({
      databaseUrl: stack.databaseUrl,
      deps: { storage: { ...storage, delete: remove }, filePurgeMs: 100 },
    });
    const id = await newSession();
    const file = { name: 'card.txt', base64: Buffer.from('my card is 4111').toString('base64') };
    await send(id, 'contact', 'See', [file]);
    const files = () => stack.db.selectFrom('media').select('key').where('org_id', '=', org.id).execute();
    const [{ key = '' } = {}] = await files();
    expect((await api.client(org.key).post('/redaction/session', { sessionId: id })).status).toBe(200);
    await sleep(500);
    expect(await files()).toHaveLength(1);
    isAway = false;
    await eventually('the deletion', async () => (await files()).length === 0);
    expect(await storage.get(key)).toBeUndefined();
    await api.close();
  });

  it('the redaction of another org’s message or session is a 404, and changes nothing', async () => {
    const id = await newSession();
    await send(id, 'contact', 'mine');
    const [{ id: messageId }] = await history(id);
    const stranger = await stack.createOrg();
    expect((await stranger.post('/redaction/message', { messageId })).status).toBe(404);
    expect((await stranger.post('/redaction/session', { sessionId: id })).status).toBe(404);
    for (const nothing of [crypto.randomUUID(), 'no-id']) {
      expect((await org.post('/redaction/message', { messageId: nothing })).status).toBe(404);
    }
    expect((await history(id))[0].event.content.text).toBe('mine');
  });
});
