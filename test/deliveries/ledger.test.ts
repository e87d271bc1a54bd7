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
    status: 'accepted' | 'delivered' | 'failed' | 'unknown';
    reason?: string | null;
    sequence_id?: string;
    contact_id?: string;
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
