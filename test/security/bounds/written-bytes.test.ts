import { sql } from 'kysely';
import { deleteOldCounts } from '../../../src/db/write-quota.ts';
import { formWith } from '../../media/samples.ts';
import { startApi } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate } from '../../support/triggers.ts';

const QUOTA = 400_000;
const contact = (name: string) => ({
  contact: {
    email: `${name}@example.com`,
    custom_data: Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`k${n}`, 'x'.repeat(5_000)])),
  },
});
/** A run of some 100 steps with 60,000 characters each. */
const LARGE_RUN = [
  {
    $kind: 'Block',
    type: 'for-each',
    id: 'each',
    inputs: { items: Array.from({ length: 100 }, (_, n) => n) },
    branches: {
      do: [
        {
          $kind: 'Block',
          type: 'for-each',
          id: 'again',
          inputs: { items: ['{{trigger.output.input.text}}'] },
          branches: { do: [] },
        },
        {
          $kind: 'Action',
          type: 'add-note',
          id: 'note',
          name: 'Note',
          input: { session_id: '{{trigger.output.input.session}}', text: 'Here' },
        },
      ],
    },
  },
];

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ env: { WRITE_QUOTA_BYTES: String(QUOTA) } });
});
afterAll(() => stack.close());

describe('the bytes that an org writes in a day', () => {
  it('have a bound: beyond it the org gets 429, in every process, reads and deletes, and others write', async () => {
    const org = await stack.createOrg();
    const statuses: number[] = [];
    for (let nth = 0; nth < 8; nth++) statuses.push((await org.post('/contacts', contact(`n${nth}`))).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([201, 429]);
    const refused = await org.post('/contacts', contact('last'));
    expect(refused).toMatchObject({
      status: 429,
      body: { statusCode: 429, message: expect.stringContaining('in a day') },
    });
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(86_400);

    const { body: page } = await org.get('/contacts');
    expect(page.items).toHaveLength(statuses.filter((status) => status === 201).length);
    const search = { filter: { or: [{ and: [{ type: 'contacts_attributes_in', attributes: [{ k0: 'x' }] }] }] } };
    expect((await org.post('/contacts/search', search)).status).toBe(200);
    expect((await org.delete(`/contacts/${page.items[0].id}`)).status).toBe(200);
    expect((await stack.other.post('/contacts', contact('n0'))).status).toBe(201);

    const second = await startApi({ databaseUrl: stack.databaseUrl, env: { WRITE_QUOTA_BYTES: String(QUOTA) } });
    const there = second.client(org.key);
    await eventually(
      'the second process to know',
      async () => (await there.post('/contacts', contact('n1'))).status === 429,
    );
    await second.close();
  });

  it('include uploaded files', async () => {
    const org = await stack.createOrg();
    const statuses: number[] = [];
    for (let nth = 0; nth < 3; nth++) {
      const { status } = await org.post('/media', formWith(Buffer.alloc(250_000, `text ${nth}`), `${nth}.txt`));
      statuses.push(status);
    }
    expect(statuses).toEqual([201, 201, 429]);
  });

  it('include what runs of workflows store: beyond it a run fails with the reason, and runs of others go on', async () => {
    const [org, bystander] = [await stack.createOrg(), await stack.createOrg()];
    const { id } = await activate(org, { trigger_type: 'manual-trigger', workflow_blocks: LARGE_RUN });
    const { body: session } = await org.post('/chat/sessions', {});
    await org.post(`/workflows/${id}/trigger`, { input: { text: 'x'.repeat(60_000), session: session.id } });
    const ended = (who: typeof org, workflowId: string) =>
      eventually('the run to end', async () => {
        const { body } = await who.get(`/workflows/${workflowId}/runs`);
        return body.runs.find(({ status }: { status: string }) => status === 'completed' || status === 'failed');
      });
    expect(await ended(org, id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('may write in a day'),
    });

    const small = await activate(bystander, { trigger_type: 'manual-trigger', workflow_blocks: LARGE_RUN });
    const { body: theirs } = await bystander.post('/chat/sessions', {});
    await bystander.post(`/workflows/${small.id}/trigger`, { input: { text: 'x', session: theirs.id } });
    expect(await ended(bystander, small.id)).toMatchObject({ status: 'completed' });
  });

  it('include the bodies of its webhooks, whoever sends them', async () => {
    const org = await stack.createOrg();
    const { url } = await activate(org, { trigger_type: 'webhook', workflow_blocks: [] });
    const { pathname } = new URL(url);
    const send = async () => (await stack.client().post(pathname, { text: 'x'.repeat(250_000) })).status;
    for (let nth = 0; nth < 2; nth++) expect(await send()).toBe(202);
    await eventually('the org to be refused', async () => (await org.post('/contacts', contact('one'))).status === 429);
    expect(await send()).toBe(429);
    expect((await stack.other.post('/contacts', contact('one'))).status).toBe(201);
  });

  it('include the runs that an event starts: beyond it events start no more, and those of others do', async () => {
    const [org, bystander] = [await stack.createOrg(), await stack.createOrg()];
    const starts = { trigger_type: 'contact-created', workflow_blocks: [] };
    for (let nth = 0; nth < 10; nth++) await activate(org, starts);
    const theirs = await activate(bystander, starts);
    expect((await org.post('/contacts', contact('first'))).status).toBe(201);
    await eventually(
      'the quota to be used up',
      async () => (await org.post('/contacts', contact('next'))).status === 429,
    );

    const { status } = await stack
      .client()
      .post('/backend/widget/v2/contact/create-unverified', {}, { headers: { 'x-bot-token': org.widgetToken } });
    expect(status).toBe(200);
    const waiting = () => stack.db.selectFrom('outbox').select('last_error').where('org_id', '=', org.id).execute();
    await eventually('the event to wait', async () =>
      (await waiting()).some(({ last_error }) => last_error?.includes('in a day')),
    );
    await bystander.post('/contacts', contact('any'));
    await eventually(
      'their run',
      async () => (await bystander.get(`/workflows/${theirs.id}/runs`)).body.total_items === 1,
    );
  });

  it('are forgotten after two days', async () => {
    await sql`insert into written_bytes values ('somebody', current_date - 3, 1), ('somebody', current_date, 1)`.execute(
      stack.db,
    );
    expect(await deleteOldCounts(stack.db)).toBe(1);
    expect(await deleteOldCounts(stack.db)).toBe(0);
  });
});
