import { setTimeout as sleep } from 'node:timers/promises';
import { saveContacts } from '../../src/contacts/saving/service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { createSequence } from '../../src/sequences/definitions/service.ts';
import { emailStep } from '../support/sequences.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const steps = [{ ...emailStep('One'), delay_in_minutes: 60 }];
const filter = { or: [{ and: [{ type: 'contacts_email_domain_name_in', domain_name_in: ['here.test'] }] }] };
const create = async (more: object) => (await stack.org.post('/sequences', { filter, steps, ...more })).body.id;
const activeIn = async (id: string) => (await stack.org.get(`/sequences/${id}/stats`)).body.enrollments.active;

it('a continuous sequence enrolls contacts who match already only if asked to, and new ones in any case', async () => {
  for (const email of ['ann@here.test', 'bob@here.test', 'eve@elsewhere.test'])
    expect((await stack.org.post('/contacts', { contact: { email } })).status).toBe(201);
  const [asked, unasked] = [await create({ enroll_existing: true }), await create({})];
  await eventually('the contacts who were there', async () => (await activeIn(asked)) === 2);
  await stack.org.post('/contacts', { contact: { email: 'new@here.test' } });
  await eventually('the new contact', async () => (await activeIn(asked)) === 3 && (await activeIn(unasked)) === 1);
});

const saveIn = (db: typeof stack.db, orgId: string, email: string) => saveContacts(db, orgId, [{ change: { email } }]);

it.each([
  ['a continuous sequence', {}, async () => undefined],
  ['a one-off sequence', { is_continuous: false }, (id: string) => stack.org.put(`/sequences/${id}/start`)],
])(
  '%s enrolls contacts whose transaction was open when it began, and does not look for them in a busy loop',
  async (_, kind, begin) => {
    const domain = `${crypto.randomUUID()}.test`;
    const own = { or: [{ and: [{ type: 'contacts_email_domain_name_in', domain_name_in: [domain] }] }] };
    await stack.org.post('/contacts', { contact: { email: `ann@${domain}` } });
    const existing = 'is_continuous' in kind ? {} : { enroll_existing: true };
    const id = await inTransaction(stack.db, async (trx) => {
      await saveIn(trx, stack.org.id, `late@${domain}`);
      const created = await create({ filter: own, ...kind, ...existing });
      await begin(created);
      await sleep(4_000);
      return created;
    });
    await eventually('both contacts', async () => (await activeIn(id)) === 2);
    const { events } = await stack.temporal.workflow.getHandle(`sequence/${id}`).fetchHistory();
    const activities = (events ?? []).filter(({ activityTaskScheduledEventAttributes: one }) => one != null);
    expect(activities.length).toBeLessThan(10);
  },
);

it('a continuous sequence enrolls contacts who were created while its own transaction was open', async () => {
  const { org } = stack;
  const input = { filter, steps, name: 'Slow', is_continuous: true, enroll_existing: true };
  const { id } = await inTransaction(stack.db, async (trx) => {
    const body = input as unknown as Parameters<typeof createSequence>[2];
    const created = await createSequence(trx, org.id, body, { isDevelopment: true });
    await sleep(50);
    await org.post('/contacts', { contact: { email: 'between@here.test' } });
    await eventually('the event', async () => {
      const left = await stack.db.selectFrom('outbox').select('id').where('type', '=', 'contact-created').execute();
      return left.length === 0;
    });
    return created;
  });
  const emails = async () => {
    const { items } = (await org.get(`/sequences/${id}/enrollments?limit=100`)).body;
    const contacts = await Promise.all(
      items.map(({ contact_id }: { contact_id: string }) => org.get(`/contacts/${contact_id}`)),
    );
    return contacts.map(({ body }) => body.email);
  };
  await eventually('the contact', async () => (await emails()).includes('between@here.test'));
});

it('its answers say who matches, who is enrolled, and who is left out and why', async () => {
  const org = await stack.createOrg();
  for (const email of ['ann@here.test', 'bob@here.test']) await org.post('/contacts', { contact: { email } });
  const audienceOf = async (id: string) => (await org.get(`/sequences/${id}/stats`)).body.audience;
  const add = (more: object) => org.post('/sequences', { filter, steps, ...more });
  const { status, body } = await add({});
  const audience = {
    matching: 2,
    is_at_least: false,
    enrolled: 0,
    left_out: 2,
    reason: expect.stringContaining('enroll_existing'),
  };
  expect([status, body.audience]).toEqual([201, audience]);
  await org.post(`/sequences/${body.id}/contacts`, { contacts: [{ email: 'ann@here.test' }] });
  const later = { ...audience, enrolled: 1, left_out: 1 };
  expect(await audienceOf(body.id)).toEqual(later);
  expect((await org.post(`/sequences/${body.id}/forecast`)).body.audience).toEqual(later);

  const oneOff = await add({ is_continuous: false });
  expect(oneOff.body.audience).toMatchObject({ left_out: 2, reason: expect.stringContaining('/start') });
  await org.put(`/sequences/${oneOff.body.id}/start`);
  await eventually('all', async () => (await audienceOf(oneOff.body.id)).enrolled === 2);
  expect(await audienceOf(oneOff.body.id)).toMatchObject({ left_out: 0, reason: null });

  const asked = await add({ enroll_existing: true });
  expect(asked.body.audience.reason).not.toContain('enroll_existing');
  await eventually('all', async () => (await audienceOf(asked.body.id)).enrolled === 2);
});
