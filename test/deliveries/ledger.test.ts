import { newId } from '../../src/ids.ts';
import { emailStep } from '../support/sequences.ts';
import { startApi, type TestApi, type TestOrg } from '../support/stack/api.ts';

describe('the ledger of deliveries', () => {
  let api: TestApi;
  let contactId: string;
  let sequenceId: string;
  beforeAll(async () => {
    api = await startApi();
    contactId = (await api.org.post('/contacts', { contact: { email: 'ann@example.com' } })).body.id;
    sequenceId = (await api.org.post('/sequences', { filter: null, steps: [emailStep('One')] })).body.id;
    for (const row of [
      { channel: 'email', status: 'accepted', sequence_id: sequenceId, contact_id: contactId },
      { channel: 'email', status: 'failed', sequence_id: sequenceId },
      { channel: 'sms', status: 'failed', contact_id: contactId },
      { channel: 'sms', status: 'delivered' },
    ] as const) {
      await insert(api.org, row);
    }
    await insert(api.other, { channel: 'sms', status: 'failed' });
  });
  afterAll(() => api.close());

  interface Row {
    channel?: 'email' | 'sms';
    status: 'accepted' | 'delivered' | 'failed' | 'unknown' | 'skipped' | 'bounced';
    reason?: string | null;
    sequence_id?: string;
    step_id?: string;
    contact_id?: string;
    created_at?: Date;
  }
  const insert = async (org: TestOrg, row: Row): Promise<string> => {
    const id = newId();
    const values = { org_id: org.id, id, channel: 'email', to: 'ann@example.com', attempts: 1, ...row } as const;
    await api.db.insertInto('deliveries').values(values).execute();
    return id;
  };
  const list = async (query: string) => {
    const { status, body } = await api.org.get(`/deliveries?${query}`);
    expect(status).toBe(200);
    return body.items.map((item: { channel: string; status: string }) => `${item.channel} ${item.status}`);
  };

  it('is filtered by channel, status, contact and sequence, in any combination', async () => {
    expect(await list('')).toEqual(['email accepted', 'email failed', 'sms failed', 'sms delivered']);
    expect(await list('channel=sms')).toEqual(['sms failed', 'sms delivered']);
    expect(await list('status=failed')).toEqual(['email failed', 'sms failed']);
    expect(await list(`contact_id=${contactId}`)).toEqual(['email accepted', 'sms failed']);
    expect(await list(`sequence_id=${sequenceId}`)).toEqual(['email accepted', 'email failed']);
    expect(await list(`sequence_id=${sequenceId}&status=failed&channel=email`)).toEqual(['email failed']);
    expect((await api.other.get(`/deliveries?sequence_id=${sequenceId}`)).body.items).toEqual([]);
    expect((await api.org.get('/deliveries?status=lost')).status).toBe(400);
  });

  it('is paged completely, also with a filter', async () => {
    const first = (await api.org.get('/deliveries?status=failed&limit=1')).body;
    const second = (await api.org.get(`/deliveries?status=failed&limit=1&cursor=${first.next}`)).body;
    expect([first, second].map(({ items }) => items.map((item: { channel: string }) => item.channel))).toEqual([
      ['email'],
      ['sms'],
    ]);
    expect(second.next).toBeNull();
  });

  it('is listed from the newest back, completely, and within given times', async () => {
    const ids: string[] = [];
    for (const day of [3, 1, 2])
      ids.push(
        await insert(api.org, { channel: 'sms', status: 'bounced', created_at: new Date(`2026-03-0${day}T12:00:00Z`) }),
      );
    const [third, first, second] = ids;
    const march = 'status=bounced&from=2026-03-01T12:00:00Z&to=2026-03-04T00:00:00Z';
    const listed: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await api.org.get(`/deliveries?${march}&order=newest&limit=1${cursor}`);
      listed.push(...body.items.map(({ id }: { id: string }) => id));
      if (body.next === null) break;
      cursor = `&cursor=${body.next}`;
    }
    expect(listed).toEqual([third, second, first]);
    const until = await api.org.get('/deliveries?status=bounced&to=2026-03-02T12:00:00Z');
    expect(until.body.items.map(({ id }: { id: string }) => id)).toEqual([first]);
    expect((await api.org.get('/deliveries?order=random')).status).toBe(400);
    expect((await api.org.get('/deliveries?from=yesterday')).status).toBe(400);
  });

  it('counts reasons by their beginning, and lists the deliveries of each, and those of an outcome or a step', async () => {
    const path = `/sequences/${sequenceId}`;
    const [step] = (await api.org.get(path)).body.steps;
    const row = { sequence_id: sequenceId, channel: 'sms', status: 'skipped' } as const;
    await insert(api.org, { ...row, reason: 'exit_on_reply: at 9' });
    await insert(api.org, { ...row, reason: 'exit_on_reply: at 10', step_id: step.id });
    await insert(api.org, { ...row, reason: 'the contact is blocked' });
    await insert(api.other, { channel: 'sms', status: 'skipped', reason: 'exit_on_reply: elsewhere' });
    const { status, body } = await api.org.get('/deliveries/reasons?channel=sms&status=skipped');
    expect(status).toBe(200);
    expect(body).toEqual({
      items: [
        { reason: 'exit_on_reply', status: 'skipped', count: 2 },
        { reason: 'the contact is blocked', status: 'skipped', count: 1 },
      ],
      counted: 3,
      is_at_least: false,
    });
    const reasonsOf = async (query: string) =>
      (await api.org.get(`/deliveries?${query}`)).body.items.map(({ reason }: { reason: string }) => reason);
    expect(await reasonsOf('reason=exit_on_reply')).toEqual(['exit_on_reply: at 9', 'exit_on_reply: at 10']);
    expect(await reasonsOf(`step_id=${step.id}`)).toEqual(['exit_on_reply: at 10']);
    expect(await reasonsOf('outcome=skipped')).toHaveLength(3);
    expect(await reasonsOf('reason=exit_on')).toEqual([]);
  });

  it('lists the messages of a session, to its own org only', async () => {
    const { body: session } = await api.org.post('/chat/sessions', { contact_id: contactId });
    const message = { type: 'text', text: 'Hello' };
    await api.org.post(`/chat/sessions/${session.id}/send`, { sender: 'contact', message });
    const sent = (await api.org.get(`/chat/sessions/${session.id}/history`)).body.items.at(-1);
    await api.db
      .insertInto('deliveries')
      .values({ org_id: api.org.id, id: sent.id, channel: 'email', to: 'ann@example.com', status: 'sent' })
      .execute();
    const query = `/deliveries?session_id=${session.id}&order=newest`;
    expect((await api.org.get(query)).body.items).toMatchObject([{ id: sent.id }]);
    expect((await api.other.get(query)).body.items).toEqual([]);
  });

  it('shows a delivery to its own org only, with the reason of its status', async () => {
    const id = await insert(api.org, { status: 'failed', reason: 'mailbox full' });
    const { status, body } = await api.org.get(`/deliveries/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      channel: 'email',
      to: 'ann@example.com',
      status: 'failed',
      provider: null,
      provider_id: null,
      reason: 'mailbox full',
      attempts: 1,
      contact_id: null,
      sequence_id: null,
      step_id: null,
      enrollment_id: null,
      sent_at: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      subject: null,
      gate: null,
      not_before: null,
      answers: [],
      callbacks: [],
    });
    expect((await api.other.get(`/deliveries/${id}`)).status).toBe(404);
  });

  it.each([
    ['sent', 'the connection broke', 'settled by hand; it was unknown: the connection broke'],
    ['failed', null, 'settled by hand'],
  ])('accepts the outcome %s for an unknown delivery, once', async (outcome, reason, expected) => {
    const id = await insert(api.org, { status: 'unknown', reason });
    expect((await api.other.post(`/deliveries/${id}/resolve`, { outcome })).status).toBe(404);
    expect((await api.org.post(`/deliveries/${id}/resolve`, { outcome: 'read' })).status).toBe(400);
    const { status, body } = await api.org.post(`/deliveries/${id}/resolve`, { outcome });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: outcome, reason: expected });
    expect(body.sent_at === null).toBe(outcome === 'failed');
    expect((await api.org.get(`/deliveries/${id}`)).body).toMatchObject(body);

    const again = await api.org.post(`/deliveries/${id}/resolve`, { outcome });
    expect([again.status, again.body.message]).toEqual([409, expect.stringContaining(`this one is ${outcome}`)]);
  });

  it('refuses to settle a delivery with a known outcome', async () => {
    const id = await insert(api.org, { status: 'accepted' });
    expect((await api.org.post(`/deliveries/${id}/resolve`, { outcome: 'failed' })).status).toBe(409);
    expect((await api.org.get(`/deliveries/${id}`)).body.status).toBe('accepted');
  });
});
