import { emailStep } from '../../support/sequences.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const SECOND = 1 / 60;
const FILTER = { or: [{ and: [{ type: 'contacts_attributes_in', attributes: [{ plan: 'pro' }] }] }] };

describe('a merge of contacts who get messages of sequences', () => {
  let stack: Stack;
  let org: TestOrg;
  beforeAll(async () => {
    stack = await startStack();
  });
  beforeEach(async () => {
    org = await stack.createOrg();
  });
  afterAll(() => stack.close());

  let serial = 0;
  const save = async () => {
    const email = `c${++serial}@merging.example`;
    const { body } = await org.post('/contacts', { contact: { email, custom_data: { plan: 'pro' } } });
    return { id: body.id as string, email };
  };
  const enroll = (sequence: string, { id }: { id: string }) =>
    org.post(`/sequences/${sequence}/contacts`, { contacts: [{ id }] });
  const create = async (...steps: object[]): Promise<string> =>
    (await org.post('/sequences', { name: 'S', filter: FILTER, steps })).body.id;
  const subjects = (email: string) => stack.sink.to(email).map(({ subject }) => subject);
  const untilGot = (email: string, subject: string) =>
    eventually(`${subject} for ${email}`, () => subjects(email).includes(subject));
  const enrollmentsOf = async (sequence: string, id: string) =>
    (await org.get(`/sequences/${sequence}/enrollments?contact_id=${id}`)).body.items;

  it('sends the rest of the course that is further ahead, to the contact that stays, and no step twice', async () => {
    const [stays, absorbed] = [await save(), await save()];
    const sequence = await create(emailStep('One'), emailStep('Two', SECOND), emailStep('Three', 2 * SECOND));
    await enroll(sequence, absorbed);
    await untilGot(absorbed.email, 'Two');
    await enroll(sequence, stays);
    await untilGot(stays.email, 'One');
    const { status, body } = await org.post(`/contacts/${stays.id}/merge`, { from_id: absorbed.id });
    expect([status, body.moved.enrollments]).toEqual([200, 1]);
    const before = await enrollmentsOf(sequence, stays.id);
    expect(before).toMatchObject([
      { status: 'active', contact_id: stays.id },
      { status: 'exited', contact_id: stays.id, exit_reason: 'merged: another enrollment of the contact continues' },
    ]);

    await untilGot(stays.email, 'Three');
    await eventually('the end of the course', async () =>
      (await enrollmentsOf(sequence, stays.id)).some((one: { status: string }) => one.status === 'complete'),
    );
    expect(subjects(stays.email)).toEqual(['One', 'Three']);
    expect(subjects(absorbed.email)).toEqual(['One', 'Two']);
    const { items } = (await org.get(`/deliveries?contact_id=${stays.id}&limit=100`)).body;
    expect(items.map(({ to }: { to: string }) => to).sort()).toEqual(
      [absorbed.email, absorbed.email, stays.email, stays.email].sort(),
    );
    const [{ id: endedId }] = before.slice(1);
    expect((await org.get(`/sequences/${sequence}/enrollments/${endedId}`)).body.contact_id).toBe(stays.id);

    const { headerLines } = stack.sink.to(absorbed.email)[0] ?? { headerLines: [] };
    const line = headerLines.find(({ key }) => key === 'list-unsubscribe')?.line ?? '';
    const [, address = ''] = /<(http[^>]+)>/.exec(line.replaceAll(/\s/g, '')) ?? [];
    expect((await fetch(address, { method: 'POST' })).status).toBe(200);
    const { body: suppressions } = await org.get('/suppressions');
    expect(suppressions.items.map((one: { address: string }) => one.address).sort()).toEqual(
      [absorbed.email, stays.email].sort(),
    );
  });

  it('sends nothing more of a sequence that one of the two has left, and nothing against the opt-out of one', async () => {
    const [stays, absorbed, other] = [await save(), await save(), await save()];
    const left = await create(emailStep('One'), emailStep('Two', 1.5 * SECOND));
    for (const contact of [stays, absorbed]) await enroll(left, contact);
    await untilGot(stays.email, 'One');
    await untilGot(absorbed.email, 'One');
    await org.post('/suppressions', { channel: 'email', address: stays.email });
    const opted = await create(emailStep('Later', SECOND));
    for (const contact of [absorbed, other]) await enroll(opted, contact);
    const [{ id: enrollmentId }] = await enrollmentsOf(left, stays.id);
    await stack.db
      .updateTable('enrollments')
      .set({ status: 'exited', exit_reason: 'removed from the sequence', ended_at: new Date() })
      .where('id', '=', enrollmentId)
      .execute();
    expect((await org.post(`/contacts/${stays.id}/merge`, { from_id: absorbed.id })).status).toBe(200);
    const all = await enrollmentsOf(left, stays.id);
    expect(all.map(({ status }: { status: string }) => status)).toEqual(['exited', 'exited']);
    await untilGot(other.email, 'Later');
    await eventually('the end of the other sequence', async () =>
      (await enrollmentsOf(opted, stays.id)).every((one: { status: string }) => one.status === 'complete'),
    );
    expect([subjects(stays.email), subjects(absorbed.email)]).toEqual([['One'], ['One']]);
  });
});
