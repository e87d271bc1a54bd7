import { newId } from '../../../src/ids.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { commandsOf, connectCrm, deliver, eventsOf, newMessage, ticketChange } from '../webhook-deliveries.ts';

describe('the log of CRM events', () => {
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

  const list = async (query = '') => (await org.get(`/crm/inbound${query}`)).body;
  const idOfLatest = async (): Promise<string> => (await list()).items[0].id;
  const settle = (state: 'done' | 'failed' | 'queued', key?: string) =>
    api.db
      .updateTable('crm_events')
      .set({ state, reason: state === 'failed' ? 'It broke' : null, settled_at: new Date() })
      .where('org_id', '=', org.id)
      .$if(key !== undefined, (query) => query.where('dedupe_key', '=', key as string))
      .execute();
  const forget = (key: string) =>
    api.db.deleteFrom('crm_events').where('org_id', '=', org.id).where('dedupe_key', '=', key).execute();
  const stateOf = async () =>
    Object.fromEntries((await eventsOf(api, org.id)).map(({ dedupe_key, state }) => [dedupe_key, state]));

  it('shows the state counts of each batch', async () => {
    const [known, fresh] = [newMessage(7), newMessage(8)];
    await deliver(api, path, [known]);
    await deliver(api, path, [
      known,
      fresh,
      ticketChange(9, { propertyValue: '' }),
      {},
      newMessage(1, { subscriptionType: 'x' }),
    ]);
    await settle('failed', `message/${fresh.messageId}`);
    expect((await list()).items).toMatchObject([
      {
        events: 3,
        known: 1,
        malformed: 1,
        unsupported: 1,
        states: { queued: 0, done: 0, skipped: 1, failed: 1 },
        received_at: expect.stringMatching(/Z$/),
      },
      { events: 1, known: 0, states: { queued: 1, done: 0, skipped: 0, failed: 0 } },
    ]);
  });

  it('shows a batch with its original body and the state of each element', async () => {
    const events = [newMessage(7), { a: 'b' }, newMessage(8, { subscriptionType: 'contact.creation' }), newMessage(9)];
    await deliver(api, path, events);
    await settle('failed', `message/${(events[0] as { messageId: string }).messageId}`);
    await forget(`message/${(events[3] as { messageId: string }).messageId}`);
    const { body } = await org.get(`/crm/inbound/${await idOfLatest()}`);
    expect(body.body).toBe(JSON.stringify(events));
    expect(body.elements).toMatchObject([
      { index: 0, type: 'conversation.newMessage', object_id: '7', state: 'failed', reason: 'It broke' },
      { index: 1, type: null, state: 'malformed', reason: 'subscriptionType is missing' },
      { index: 2, type: 'contact.creation', state: 'unsupported' },
      { index: 3, object_id: '9', state: 'unknown' },
    ]);
  });

  it('shows a message as the CRM has sent it, while it waits for its turn', async () => {
    const message = newMessage(7);
    await deliver(api, path, [message]);
    const { body } = await org.get(`/crm/inbound/${await idOfLatest()}`);
    expect(body).toMatchObject({
      body: JSON.stringify([message]),
      elements: [{ index: 0, type: 'conversation.newMessage', object_id: '7', state: 'queued', settled_at: null }],
    });
  });

  it('is listed page by page, latest first, without a gap', async () => {
    for (let nth = 0; nth < 5; nth++) await deliver(api, path, [newMessage(nth)]);
    const all = (await list()).items.map(({ id }: { id: string }) => id);
    expect(all).toHaveLength(5);
    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.next}`);
    const third = await list(`?limit=2&cursor=${second.next}`);
    expect([first, second, third].flatMap(({ items }) => items.map(({ id }: { id: string }) => id))).toEqual(all);
    expect(third.next).toBeNull();
  });

  it('replays failed and unknown events only, and a dry run reports the result beforehand', async () => {
    const [done, failed, unknown, queued] = [newMessage(1), newMessage(2), newMessage(3), newMessage(4)];
    await deliver(api, path, [done, failed, unknown, queued, ticketChange(9, { propertyValue: '' })]);
    await settle('done', `message/${done.messageId}`);
    await settle('failed', `message/${failed.messageId}`);
    await forget(`message/${unknown.messageId}`);
    const id = await idOfLatest();
    const before = await eventsOf(api, org.id);

    const dry = await org.post(`/crm/inbound/${id}/replay`, { dry_run: true });
    expect(dry).toMatchObject({ status: 200, body: { batches: 1, queued: 2, unchanged: 3 } });
    expect(await eventsOf(api, org.id)).toEqual(before);

    expect((await org.post(`/crm/inbound/${id}/replay`)).body).toEqual(dry.body);
    expect(await stateOf()).toMatchObject({
      [`message/${done.messageId}`]: 'done',
      [`message/${failed.messageId}`]: 'queued',
      [`message/${unknown.messageId}`]: 'queued',
      [`message/${queued.messageId}`]: 'queued',
    });
    expect((await commandsOf(api, org.id)).map(([workflowId]) => workflowId)).toEqual([
      `crm-thread/${org.id}/2`,
      `crm-thread/${org.id}/3`,
    ]);
    expect((await org.post(`/crm/inbound/${id}/replay`, {})).body).toEqual({ batches: 1, queued: 0, unchanged: 5 });
  });

  it('replays all batches of a period, step by step', async () => {
    const others = await api.createOrg();
    await deliver(api, await connectCrm(others), [newMessage(7)]);
    for (let nth = 0; nth < 60; nth++) await deliver(api, path, [newMessage(nth), newMessage(nth)]);
    await deliver(
      api,
      path,
      Array.from({ length: 1_000 }, () => newMessage(7)),
    );
    await api.db.updateTable('crm_events').set({ state: 'failed' }).execute();

    const range = { from: new Date(Date.now() - 60_000).toISOString(), to: new Date(Date.now() + 1_000).toISOString() };
    const replay = async (options: object) => {
      const total = { batches: 0, queued: 0, unchanged: 0, calls: 0 };
      let cursor: string | undefined;
      do {
        const { status, body } = await org.post('/crm/inbound/replay', { ...range, ...options, cursor });
        expect(status).toBe(200);
        total.batches += body.batches;
        total.queued += body.queued;
        total.unchanged += body.unchanged;
        total.calls++;
        cursor = body.next ?? undefined;
      } while (cursor !== undefined);
      return total;
    };
    expect(await replay({ dry_run: true })).toEqual({ batches: 61, queued: 1_120, unchanged: 0, calls: 2 });
    expect(await replay({})).toEqual({ batches: 61, queued: 1_120, unchanged: 0, calls: 2 });
    expect(await replay({})).toEqual({ batches: 61, queued: 0, unchanged: 1_120, calls: 2 });
    expect((await eventsOf(api, others.id)).map(({ state }) => state)).toEqual(['failed']);
    expect((await org.post('/crm/inbound/replay', { from: range.to, to: '2099-01-01T00:00:00Z' })).body).toEqual({
      batches: 0,
      queued: 0,
      unchanged: 0,
      next: null,
    });
  });

  it('queues each event once if several replays run at the same time', async () => {
    await deliver(
      api,
      path,
      Array.from({ length: 100 }, (_, nth) => newMessage(nth)),
    );
    await settle('failed');
    const id = await idOfLatest();
    const answers = await Promise.all(Array.from({ length: 6 }, () => org.post(`/crm/inbound/${id}/replay`)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.reduce((sum, { body }) => sum + body.queued, 0)).toBe(100);
  });

  it('is visible only to its org', async () => {
    await deliver(api, path, [newMessage(7)]);
    const id = await idOfLatest();
    const { other } = api;
    expect((await other.get('/crm/inbound')).body).toEqual({ items: [], next: null });
    expect((await other.get(`/crm/inbound/${id}`)).status).toBe(404);
    expect((await other.post(`/crm/inbound/${id}/replay`, {})).status).toBe(404);
    expect((await org.get(`/crm/inbound/${newId()}`)).status).toBe(404);
  });

  it.each([
    [{}, 'body.from'],
    [{ from: 'yesterday', to: '2026-01-01T00:00:00Z' }, 'body.from'],
    [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'body.to'],
    [{ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', dry_run: 'yes' }, 'body.dry_run'],
  ])('names the invalid field of the replay request %j', async (body, at) => {
    const answer = await org.post('/crm/inbound/replay', body);
    expect([answer.status, answer.body.issues[0].path]).toEqual([400, at]);
  });
});
