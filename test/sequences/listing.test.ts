import { newId } from '../../src/ids.ts';
import { emailStep } from '../support/sequences.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

const DAY_MS = 86_400_000;

describe('lists and figures of sequences', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  const create = async (name: string, input: object = {}, org = api.org): Promise<string> =>
    (await org.post('/sequences', { name, filter: null, steps: [emailStep('One'), emailStep('Two', 60)], ...input }))
      .body.id;
  const namesOf = async (query: string, org = api.org) =>
    (await org.get(`/sequences?${query}`)).body.items.map(({ name }: { name: string }) => name);
  const contact = async (name: string) => {
    const email = `${name.toLowerCase()}@${newId()}.example`;
    return { email, ...(await api.org.post('/contacts', { contact: { name, email } })).body };
  };
  const enroll = async (sequenceId: string, contactId: string): Promise<string> => {
    await api.org.post(`/sequences/${sequenceId}/contacts`, { contacts: [{ id: contactId }] });
    return (await api.org.get(`/sequences/${sequenceId}/enrollments?contact_id=${contactId}`)).body.items[0].id;
  };
  const stepsOf = async (id: string): Promise<string[]> =>
    (await api.org.get(`/sequences/${id}`)).body.steps.map((step: { id: string }) => step.id);

  interface Row {
    sequence_id: string;
    status: 'delivered' | 'failed' | 'held' | 'accepted' | 'unknown';
    step_id?: string | undefined;
    enrollment_id?: string;
    gate?: string;
    reason?: string;
    created_at?: Date;
  }
  const deliver = async (row: Row) => {
    const values = { org_id: api.org.id, id: newId(), channel: 'email', to: 'a@b.example', ...row } as const;
    await api.db.insertInto('deliveries').values(values).execute();
  };

  it('are filtered by status and words of the name, from the newest back, each org by itself', async () => {
    for (const name of ['Autumn sale', 'Spring SALE', 'Welcome'])
      await create(name, { is_continuous: name === 'Welcome' });
    await create('Sale of others', {}, api.other);
    expect(await namesOf('q=sale')).toEqual(['Autumn sale', 'Spring SALE']);
    expect(await namesOf('q=sale&order=newest')).toEqual(['Spring SALE', 'Autumn sale']);
    expect(await namesOf('q=%25')).toEqual([]);
    expect(await namesOf('status=pending&q=sale')).toEqual(['Autumn sale', 'Spring SALE']);
    expect(await namesOf('status=active')).toEqual(['Welcome']);
    expect(await namesOf('q=sale', api.other)).toEqual(['Sale of others']);
    expect((await api.org.get('/sequences?status=lost')).status).toBe(400);
  });

  it('say how far each sequence is, why the first of the deferred waits, and when the next message is due', async () => {
    const id = await create('Figures', {
      filter: { or: [{ and: [{ type: 'contacts_email_domain_name_in', domain_name_in: ['nobody.example'] }] }] },
    });
    const [one, two] = await stepsOf(id);
    const [held, waiting] = [await contact('Held'), await contact('Waiting')];
    await api.org.patch(`/sequences/${id}`, { filter: null });
    const heldId = await enroll(id, held.id);
    const waitingId = await enroll(id, waiting.id);
    const until = new Date(Date.now() + DAY_MS);
    await api.db.updateTable('enrollments').set({ held_until: until }).where('id', '=', heldId).execute();
    await api.db
      .updateTable('enrollments')
      .set({ last_step_id: one ?? null })
      .where('id', '=', waitingId)
      .execute();
    const reason = 'quiet_hours: from 21:00 to 08:00';
    await deliver({
      sequence_id: id,
      step_id: one,
      status: 'held',
      gate: 'quiet_hours',
      reason,
      enrollment_id: heldId,
    });
    await deliver({ sequence_id: id, step_id: one, status: 'delivered', enrollment_id: waitingId });
    await deliver({ sequence_id: id, step_id: two, status: 'failed' });
    const { items } = (await api.org.get('/sequences?q=Figures&include=stats')).body;
    expect(items[0].stats).toEqual({
      due: 2,
      held: 1,
      sent: 1,
      delivered: 1,
      failed: 1,
      skipped: 0,
      unknown: 0,
      held_by: { gate: 'quiet_hours', reason, until: until.toISOString() },
      next_due_at: expect.any(String),
    });
    const dueIn = Date.parse(items[0].stats.next_due_at) - Date.now();
    expect(Math.abs(dueIn - 3_600_000)).toBeLessThan(30_000);
    expect((await api.org.get('/sequences?q=Figures')).body.items[0].stats).toBeUndefined();
    expect((await api.org.get(`/sequences/${id}/stats`)).body.held).toEqual([{ gate: 'quiet_hours', count: 1 }]);
    await api.org.put(`/sequences/${id}/cancel`);
    expect((await api.org.get('/sequences?q=Figures&include=stats')).body.items[0].stats).toMatchObject({
      due: 0,
      held: 0,
      held_by: null,
      next_due_at: null,
    });
  });

  it('count deliveries by day and hour on the clocks of the org', async () => {
    await api.org.patch('/org/settings', { timezone: 'Asia/Tokyo' });
    const id = await create('Series');
    const [one] = await stepsOf(id);
    const at = (time: string) => new Date(`2026-05-${time}Z`);
    await deliver({ sequence_id: id, step_id: one, status: 'delivered', created_at: at('03T14:59:00') });
    await deliver({ sequence_id: id, step_id: one, status: 'accepted', created_at: at('03T15:01:00') });
    await deliver({ sequence_id: id, step_id: one, status: 'unknown', created_at: at('03T16:30:00') });
    const range = 'from=2026-05-03T00:00:00Z&to=2026-05-05T00:00:00Z';
    const none = { waiting: 0, sent: 0, delivered: 0, failed: 0, skipped: 0, unknown: 0 };
    const days = await api.org.get(`/sequences/${id}/series?bucket=day&${range}`);
    expect(days.body).toEqual({
      from: '2026-05-03T00:00:00.000Z',
      to: '2026-05-05T00:00:00.000Z',
      timezone: 'Asia/Tokyo',
      items: [
        { ...none, at: '2026-05-02T15:00:00.000Z', sent: 1, delivered: 1 },
        { ...none, at: '2026-05-03T15:00:00.000Z', sent: 1, unknown: 1 },
      ],
    });
    const hours = await api.org.get(`/sequences/${id}/series?bucket=hour&${range}`);
    expect(hours.body.items.map((item: { at: string }) => item.at)).toEqual([
      '2026-05-03T14:00:00.000Z',
      '2026-05-03T15:00:00.000Z',
      '2026-05-03T16:00:00.000Z',
    ]);
    expect((await api.org.get(`/sequences/${id}/series`)).body.items).toEqual([]);
    const long = 'bucket=hour&from=2026-01-01T00:00:00Z&to=2026-05-05T00:00:00Z';
    expect((await api.org.get(`/sequences/${id}/series?${long}`)).status).toBe(400);
    expect((await api.other.get(`/sequences/${id}/series`)).status).toBe(404);
  });

  it('list enrollments with their contacts, by the next step, the reason of the end, and the next try', async () => {
    const id = await create('Enrollments');
    const [one, two] = await stepsOf(id);
    const people = await Promise.all(['Ann', 'Ben', 'Cy', 'Dee'].map((name) => contact(name)));
    const [ann, ben, cy, dee] = (await Promise.all(people.map((person) => enroll(id, person.id)))) as [
      string,
      string,
      string,
      string,
    ];
    const set = (enrollmentId: string, values: object) =>
      api.db.updateTable('enrollments').set(values).where('id', '=', enrollmentId).execute();
    const soon = (minutes: number) => new Date(Date.now() + minutes * 60_000);
    await set(ben, { last_step_id: one, held_until: soon(20) });
    await set(cy, { last_step_id: one, held_until: soon(10) });
    await set(dee, {
      status: 'exited',
      exit_reason: 'exit_on_reply: the contact replied by email',
      ended_at: new Date(),
    });
    const listed = async (query: string, org = api.org) =>
      (await org.get(`/sequences/${id}/enrollments?${query}`)).body;
    const idsOf = async (query: string) => (await listed(query)).items.map((item: { id: string }) => item.id);
    expect((await listed(`contact_id=${people[0].id}`)).items[0].contact).toEqual({
      name: 'Ann',
      email: people[0].email,
    });
    expect(await idsOf(`step_id=${one}`)).toEqual([ann]);
    expect(await idsOf(`step_id=${two}`)).toEqual(expect.arrayContaining([ben, cy]));
    expect(await idsOf('exit_reason=exit_on_reply')).toEqual([dee]);
    expect(await idsOf('held=true')).toEqual([cy, ben]);
    const first = await listed('held=true&limit=1');
    expect(await idsOf(`held=true&limit=1&cursor=${first.next}`)).toEqual([ben]);
    expect(await idsOf(`held=true&step_id=${one}`)).toEqual([]);
    expect(await idsOf(`step_id=${newId()}`)).toEqual([]);
    expect((await api.other.get(`/sequences/${id}/enrollments?held=true`)).status).toBe(404);
    await api.org.put(`/sequences/${id}/cancel`);
    expect([await idsOf('held=true'), await idsOf(`step_id=${two}`)]).toEqual([[], []]);
  });
});
