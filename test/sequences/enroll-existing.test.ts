import { afterAll, beforeAll, expect, it } from 'vitest';
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
