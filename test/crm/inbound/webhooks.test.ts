import fc from 'fast-check';
import { connect } from '../../../src/db/connect.ts';
import { newId } from '../../../src/ids.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import {
  announcementsOf,
  batchesOf,
  connectCrm,
  deliver,
  deliverSigned,
  eventsOf,
  newMessage,
  signalsFor,
  ticketChange,
} from '../webhook-deliveries.ts';

describe('the webhook of an org', () => {
  let api: TestApi;
  let org: TestOrg;
  let path: string;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    org = await api.createOrg();
    path = await connectCrm(org);
  });

  const keysOf = async (orgId = org.id) => (await eventsOf(api, orgId)).map(({ dedupe_key }) => dedupe_key);

  it('stores each event in its queue, in order of occurrence', async () => {
    const assigned = { messageId: undefined, messageType: undefined, propertyName: 'assignedTo', propertyValue: '' };
    const events = [
      newMessage(7, { occurredAt: 1_764_000_000_500, messageId: 'b' }),
      newMessage('7', { occurredAt: 1_764_000_000_100, messageId: 'a', messageType: 'COMMENT' }),
      newMessage(7, { ...assigned, subscriptionType: 'conversation.propertyChange', occurredAt: 1_764_000_000_900 }),
      ticketChange(9),
      newMessage(11, { subscriptionType: 'object.creation', messageId: undefined, objectTypeId: '0-46' }),
    ];
    expect(await deliver(api, path, events)).toMatchObject({ status: 200, body: {} });
    const kept = await eventsOf(api, org.id);
    expect(kept.map(({ queue, type, state }) => [queue, type, state])).toEqual([
      ['notes', 'object.creation', 'queued'],
      ['thread/7', 'conversation.newMessage', 'queued'],
      ['thread/7', 'conversation.newMessage', 'queued'],
      ['thread/7', 'conversation.propertyChange', 'queued'],
      ['ticket/9', 'ticket.propertyChange', 'queued'],
    ]);
    expect(kept.map(({ payload }) => payload)).toEqual([
      {},
      { message_id: 'a', message_type: 'COMMENT' },
      { message_id: 'b', message_type: 'MESSAGE' },
      { property_name: 'assignedTo', property_value: '' },
      { property_name: 'subject', property_value: 'Hello' },
    ]);
    expect(kept[1]?.occurred_at).toEqual(new Date(1_764_000_000_100));
    const batches = await batchesOf(api, org.id);
    expect(batches).toMatchObject([{ events: 5, malformed: 0, unsupported: 0, text: JSON.stringify(events) }]);
  });

  it('wakes the workflow of each queue, once for all events received meanwhile', async () => {
    await deliver(api, path, [newMessage(7), newMessage(7), ticketChange(9)]);
    await deliver(api, path, [
      newMessage(7),
      newMessage(11, { subscriptionType: 'object.creation', objectTypeId: '0-46' }),
    ]);
    expect(await signalsFor(api, org.id)).toEqual([
      [`crm-thread/${org.id}/7`, 'syncCrmThread', 'wake', 'interactive', { orgId: org.id, threadId: '7' }],
      [`crm-ticket/${org.id}/9`, 'syncCrmTicket', 'wake', 'interactive', { orgId: org.id, ticketId: '9' }],
      [`crm-ticket/${org.id}/notes`, 'syncCrmTicket', 'wake', 'interactive', { orgId: org.id, ticketId: 'notes' }],
    ]);
  });

  it('stores events once, even if they are delivered again, shuffled and simultaneously', async () => {
    const events = Array.from({ length: 100 }, (_, nth) => newMessage(nth % 7));
    const shuffled = Array.from({ length: 8 }, () => events.toSorted(() => Math.random() - 0.5));
    const answers = await Promise.all(shuffled.map((batch) => deliver(api, path, batch)));
    expect(answers.map(({ status }) => status)).toEqual(shuffled.map(() => 200));
    expect((await keysOf()).toSorted()).toEqual(events.map(({ messageId }) => `message/${messageId}`).toSorted());
    expect(await batchesOf(api, org.id)).toHaveLength(8);
    const later = events.map((event) => ({ ...event, attemptNumber: 3, eventId: 1 }));
    expect((await deliver(api, path, later)).status).toBe(200);
    expect(await keysOf()).toHaveLength(100);
  });

  it('distinguishes events by their identifying fields', async () => {
    const change = ticketChange(9, { occurredAt: 1_764_000_000_000 });
    const message = newMessage(7, { messageId: undefined, eventId: 5, occurredAt: 1_764_000_000_000 });
    const distinct = [
      change,
      { ...change, occurredAt: 1_764_000_000_001 },
      { ...change, propertyValue: 'Bye' },
      { ...change, propertyName: 'content' },
      { ...change, objectId: 10 },
      { ...change, propertyValue: 'x'.repeat(50_000) },
      { ...change, propertyValue: `${'x'.repeat(49_999)}y` },
      message,
      { ...message, eventId: 6 },
      { ...message, objectId: 8 },
      { ...message, occurredAt: 1_764_000_000_001 },
    ];
    const same = [
      { ...change, eventId: 99, attemptNumber: 4 },
      { ...change, objectId: '9', occurredAt: '1764000000000' },
      { ...change, subscriptionType: 'object.propertyChange', objectTypeId: '0-5' },
      { ...message, attemptNumber: 1 },
    ];
    await deliver(api, path, [...distinct, ...same]);
    expect(await keysOf()).toHaveLength(distinct.length);
  });

  it('stores the same message for each of two orgs', async () => {
    const other = await api.createOrg();
    const event = newMessage(7);
    await deliver(api, path, [event]);
    await deliver(api, await connectCrm(other), [event]);
    expect([await keysOf(), await keysOf(other.id)]).toEqual([
      [`message/${event.messageId}`],
      [`message/${event.messageId}`],
    ]);
  });

  it('skips malformed elements without losing the others', async () => {
    const good = newMessage(7);
    const malformed = [
      null,
      7,
      'text',
      [],
      {},
      { subscriptionType: 7, objectId: 1 },
      newMessage('', {}),
      newMessage(7, { objectId: undefined }),
      newMessage(7, { objectId: { id: 7 } }),
      newMessage(-7, {}),
      newMessage(7.5, {}),
      newMessage('a\0b', {}),
      newMessage('7/8', {}),
      newMessage('7'.repeat(5_000), {}),
      newMessage(7, { messageId: 'm\ud800' }),
      newMessage(7, { messageId: ['m'] }),
      ticketChange('notes'),
      ticketChange(9, { propertyName: undefined }),
      ticketChange(9, { propertyValue: { a: 1 } }),
    ];
    const unsupported = [
      newMessage(7, { subscriptionType: 'contact.creation' }),
      newMessage(7, { subscriptionType: 'toString' }),
      newMessage(7, { subscriptionType: 'object.creation', objectTypeId: '0-1' }),
      newMessage(7, { subscriptionType: 'object.propertyChange', objectTypeId: '0-3' }),
    ];
    expect((await deliver(api, path, [...malformed, good, ...unsupported])).status).toBe(200);
    expect(await keysOf()).toEqual([`message/${good.messageId}`]);
    expect(await batchesOf(api, org.id)).toMatchObject([
      { events: 1, malformed: malformed.length, unsupported: unsupported.length },
    ]);
  });

  it('accepts data that the database would reject: NUL, lone surrogates, ids beyond safe integers, impossible times', async () => {
    const before = Date.now();
    const body = JSON.stringify([
      ticketChange(9, { propertyValue: 'a\0b\ud800c', occurredAt: -5 }),
      ticketChange(9, { propertyName: 'amount', propertyValue: 12.5, occurredAt: 1e300 }),
      newMessage(7, { messageId: 'm', occurredAt: 'yesterday' }),
      newMessage(7, { messageId: 'n', objectId: 'LONG' }),
    ]).replace('"LONG"', '12345678901234567890');
    expect((await deliver(api, path, body)).status).toBe(200);
    const kept = await eventsOf(api, org.id);
    expect(kept.map(({ object_id }) => object_id).toSorted()).toEqual(['12345678901234567890', '7', '9', '9']);
    expect(kept.map(({ payload }) => payload.property_value)).toEqual(expect.arrayContaining(['ab\ufffdc', '12.5']));
    for (const { occurred_at, object_id } of kept.filter(({ object_id: id }) => id.length === 1)) {
      expect([object_id, occurred_at.getTime() >= before]).toEqual([object_id, true]);
    }
  });

  it('skips a change that empties a ticket’s property', async () => {
    await deliver(api, path, [ticketChange(9, { propertyValue: '' }), ticketChange(9, { propertyValue: null })]);
    const kept = await eventsOf(api, org.id);
    expect(kept.map(({ state, reason }) => [state, reason])).toEqual([
      ['skipped', 'the value is empty'],
      ['skipped', 'the value is empty'],
    ]);
    expect(await announcementsOf(api, org.id)).toEqual([]);
  });

  it('never fails because of the content of an element', async () => {
    const id = fc.oneof(fc.nat(), fc.string(), fc.double(), fc.constant(null), fc.string({ unit: 'binary' }));
    const element = fc.record(
      {
        subscriptionType: fc.constantFrom(
          'conversation.newMessage',
          'conversation.propertyChange',
          'ticket.propertyChange',
          'object.creation',
          'object.propertyChange',
          'x',
        ),
        objectId: id,
        objectTypeId: fc.constantFrom('0-5', '0-46', '', 7),
        occurredAt: fc.oneof(fc.double(), fc.integer(), fc.string(), fc.maxSafeInteger()),
        eventId: id,
        messageId: id,
        messageType: id,
        propertyName: id,
        propertyValue: fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' })),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(element, fc.jsonValue()), { maxLength: 20 }), async (elements) => {
        const marker = newMessage(7);
        expect((await deliver(api, path, [...elements, marker])).status).toBe(200);
        expect(await keysOf()).toContain(`message/${marker.messageId}`);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['', 400],
    ['{', 400],
    ['{}', 400],
    ['"text"', 400],
    ['[\u0001]', 400],
    ['[', 400],
    ['['.repeat(100_000), 400],
    [`[{"objectId":1e300,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`, 400],
    [JSON.stringify(Array.from({ length: 1_001 }, () => 1)), 413],
    [`["${'x'.repeat(1024 * 1024)}"]`, 413],
    ['[]', 200],
  ])('answers the body %.20s… with %i', async (body, status) => {
    expect((await deliver(api, path, body)).status).toBe(status);
    expect(await keysOf()).toEqual([]);
  });

  it('answers only at the org’s own address', async () => {
    const other = await api.createOrg();
    const token = path.split('/').at(-1);
    const wrong = [
      `/crm/webhook/${org.id}/${'a'.repeat(43)}`,
      `/crm/webhook/${org.id}/x`,
      `/crm/webhook/${other.id}/${token}`,
      `/crm/webhook/${newId()}/${token}`,
    ];
    for (const address of wrong) expect((await deliver(api, address, [newMessage(7)])).status).toBe(404);
    await org.delete('/integrations/crm');
    expect((await deliver(api, path, [newMessage(7)])).status).toBe(404);
    expect(await batchesOf(api, org.id)).toEqual([]);
  });

  it('accepts only signed requests once the org has set a secret', async () => {
    await connectCrm(org, { webhook_secret: 'the secret' });
    const events = [newMessage(7)];
    expect((await deliver(api, path, events)).status).toBe(401);
    expect((await deliverSigned(api, path, events, 'another secret')).status).toBe(401);
    expect((await deliverSigned(api, path, events, 'the secret', Date.now() - 301_000)).status).toBe(401);
    expect((await deliverSigned(api, path, events, 'the secret', Date.now() + 305_000)).status).toBe(401);
    expect(await keysOf()).toEqual([]);
    expect((await deliverSigned(api, path, events, 'the secret')).status).toBe(200);
    expect(await keysOf()).toHaveLength(1);
  });

  it('answers 503 while the database is down, and accepts the events afterwards', async () => {
    const away = connect('postgres://127.0.0.1:1/nowhere', { poolSize: 1 });
    const down = await startApi({ databaseUrl: api.databaseUrl, deps: { db: away.db } });
    try {
      const events = [newMessage(7)];
      const { status, headers } = await deliver(down, path, events);
      expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
      expect((await deliver(api, path, events)).status).toBe(200);
      expect(await keysOf()).toHaveLength(1);
    } finally {
      await down.close();
      await away.close();
    }
  });

  it('refuses a flood of one org instead of delaying others, and loses no accepted events', async () => {
    const other = await api.createOrg();
    const otherPath = await connectCrm(other);
    const batches = Array.from({ length: 400 }, () => [newMessage(7), newMessage(8)]);
    const flood = Promise.all(batches.map((batch) => deliver(api, path, batch)));
    const calm = await deliver(api, otherPath, [newMessage(7)]);
    const statuses = (await flood).map(({ status }) => status);
    expect(calm.status).toBe(200);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await keysOf()).toHaveLength(2 * statuses.filter((status) => status === 200).length);
  });
});
