import { sql } from 'kysely';
import { announceInactiveSessions } from '../../src/automations/triggers/inactivity.service.ts';
import { startImport, storeImport } from '../../src/imports/service.ts';
import { purgeDeletedMedia } from '../../src/media/service.ts';
import { spool } from '../../src/media/spool.ts';
import { addMember } from '../../src/orgs/members/service.ts';
import type { Client, TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { activate } from '../support/triggers.ts';
import { CONTACTS_CSV, CONVERSATION, HELP_CENTER as HELP_CENTER_OF_CHATWOOT, SNOOZED } from './support/chatwoot.ts';
import {
  CSV,
  codesOf as codes,
  historyOf as history,
  imported as importedBy,
  send as sendBy,
  sessionsOf,
} from './support/importing.ts';
import { ADA, AGENT, FORMER, GRACE, HELP_CENTER, LATER_TICKET, lines, OPEN_TICKET, TICKET } from './support/zendesk.ts';

let stack: Stack;
let org: TestOrg;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
});

type Options = Parameters<typeof importedBy>[3] & { of?: Client };
const send = (source: string, resource: string, file: string, { of = org, ...options }: Options = {}) =>
  sendBy(of, [source, resource], file, options);
const imported = (source: string, resource: string, file: string, { of = org, ...options }: Options = {}) =>
  importedBy(of, [source, resource], file, options);
const codesOf = (job: Parameters<typeof codes>[1]) => codes(org, job);
const sessions = (of: Client = org) => sessionsOf(of);
const historyOf = (id: string) => history(org, id);

it('the file of an import that nobody has recorded is deleted after an hour, and that of a recorded one stays', async () => {
  const { storage } = stack.deps;
  const file = await spool([Buffer.from(lines(TICKET))], 100_000);
  const query = { source: 'zendesk', resource: 'conversations', account: '' } as const;
  const [lost, recorded] = [
    await storeImport(stack.db, storage, org.id, { file, query }),
    await storeImport(stack.db, storage, org.id, { file, query }),
  ];
  await startImport(stack.db, org.id, recorded);
  await stack.db
    .updateTable('media')
    .set({ deleted_at: new Date() })
    .where('org_id', '=', org.id)
    .where('deleted_at', 'is not', null)
    .execute();
  await purgeDeletedMedia(stack.db, storage);
  expect(await storage.get(lost.storage_key)).toBeUndefined();
  await eventually('the import', async () => (await org.get(`/imports/${recorded.id}`)).body.status === 'completed');
  await expect(startImport(stack.db, org.id, lost)).rejects.toMatchObject({ kind: 'unavailable' });
  await file.remove();
});

describe('tickets of Zendesk', () => {
  it('a ticket comes in as a session with its messages, notes, times, tags, member and team, and people as contacts', async () => {
    const anna = await addMember(stack.db, org.id, { email: 'anna@shop.example', name: 'Anna' });
    const team = await org.post('/teams', {
      name: 'Shipping',
      is_support_enabled: true,
      support_assignment_strategy: 'unassigned',
    });
    const job = await imported('zendesk', 'conversations', lines(TICKET));
    expect(job).toMatchObject({ progress: 1, records: 1, created: 1, left_out: 0, incomplete: 1 });
    expect(await codesOf(job)).toEqual(['1 501 part attachments_linked']);
    const [session] = await sessions();
    expect(session).toMatchObject({
      status: 'closed_resolved',
      channel: { type: 'email' },
      assignee_id: anna,
      team: { id: team.body.id },
      tags: ['Late', 'parcel'],
      created_at: '2024-03-05T10:00:00.000Z',
      updated_at: '2024-03-05T10:30:00.000Z',
      last_message_at: '2024-03-05T10:20:00.000Z',
      language: 'en',
      custom_data: {
        zendesk_ticket_id: '501',
        subject: 'Where is my parcel?',
        priority: 'high',
        zendesk_field_360001: 'order-4711',
      },
      contact: { email: 'ada@example.com', name: 'Ada Lovelace', phone_number: '+442079460958' },
      ai: { state: 'off' },
    });
    const contact = (await org.get(`/contacts/${session.contact.id}`)).body;
    expect(contact).toMatchObject({
      external_id: 'shop-1',
      created_at: '2023-01-31T08:00:00.000Z',
      custom_data: { plan: 'pro', seats: '3', zendesk_tags: 'vip' },
    });
    const history = await historyOf(session.id);
    expect(history.map(({ event, created_at }: never) => [created_at, event])).toMatchObject([
      [
        '2024-03-05T10:00:00.000Z',
        { type: 'message', sender: { type: 'contact' }, content: { text: TICKET.description } },
      ],
      ['2024-03-05T10:05:00.000Z', { type: 'human_agent_comment', human_agent_id: anna, sender_name: 'Anna' }],
      [
        '2024-03-05T10:10:00.000Z',
        {
          type: 'message',
          sender: { type: 'human_agent' },
          sender_id: anna,
          content: { text: 'We send it again today.\n\nlabel.pdf: https://shop.zendesk.example/attachments/1' },
        },
      ],
      ['2024-03-05T10:20:00.000Z', { type: 'message', sender: { type: 'contact' } }],
      ['2024-03-05T10:25:00.000Z', { type: 'status_changed', from: 'open', to: 'closed_resolved' }],
    ]);
    expect(history[0].actor).toEqual({ kind: 'contact', id: session.contact.id, name: 'Ada Lovelace' });
  });

  it('tickets name agents by the users that were imported before, and say who is no member and which author is unknown', async () => {
    const users = await imported('zendesk', 'contacts', lines({ users: [ADA, GRACE, AGENT, FORMER] }));
    expect(users).toMatchObject({ records: 4, created: 2, left_out: 2 });
    expect(await codesOf(users)).toEqual(['3 9001 record agent', '4 9002 record agent']);
    const job = await imported(
      'zendesk',
      'conversations',
      lines({ ...OPEN_TICKET, requester: undefined, requester_id: ADA.id }),
    );
    expect(await codesOf(job)).toEqual([
      '1 502 part assignee_unknown',
      '1 502 part team_unknown',
      '1 502 part author_unknown',
    ]);
    const [session] = await sessions();
    expect(session).toMatchObject({
      status: 'open',
      channel: { type: 'sms' },
      assignee_id: null,
      team: null,
      waiting_on: 'customers',
      contact: { name: 'Ada Lovelace' },
    });
    const senders = (await historyOf(session.id)).map(
      ({ event }: never) => (event as { sender_name: string }).sender_name,
    );
    expect(senders).toEqual([null, 'Former Agent', null, null]);
  });

  it('tickets change nothing when they are imported again, and get what is new in a later export', async () => {
    await imported('zendesk', 'conversations', lines(TICKET, OPEN_TICKET));
    const before = await sessions();
    expect(await imported('zendesk', 'conversations', lines(TICKET, OPEN_TICKET))).toMatchObject({
      records: 2,
      created: 0,
      updated: 0,
      unchanged: 2,
      incomplete: 0,
    });
    expect(await sessions()).toEqual(before);
    expect(await imported('zendesk', 'conversations', lines(TICKET, LATER_TICKET))).toMatchObject({
      updated: 1,
      unchanged: 1,
    });
    const session = (await sessions()).find(
      ({ custom_data }: never) => (custom_data as { subject: string }).subject === 'Refund',
    );
    expect(session).toMatchObject({ status: 'closed_resolved', last_message_at: '2024-03-05T10:40:00.000Z' });
    const added = (await historyOf(session.id)).slice(4);
    expect(added.map(({ event }: never) => event)).toMatchObject([
      { type: 'message', content: { text: 'The money is on its way' } },
      { type: 'status_changed', from: 'open', to: 'closed_resolved' },
    ]);
    expect(await imported('zendesk', 'conversations', lines(LATER_TICKET))).toMatchObject({ updated: 0, unchanged: 1 });
  });

  it('tickets of another org, and of a second account with the same ids, are other sessions', async () => {
    const other = await stack.createOrg();
    await imported('zendesk', 'conversations', lines(TICKET));
    const job = await imported('zendesk', 'conversations', lines(OPEN_TICKET), { of: other });
    expect((await org.get(`/imports/${job.id}`)).status).toBe(404);
    expect((await org.get(`/imports/${job.id}/report`)).status).toBe(404);
    expect(await sessions(other)).toHaveLength(1);
    expect(await sessions()).toHaveLength(1);
    expect(await imported('zendesk', 'conversations', lines(TICKET), { more: '&account=berlin' })).toMatchObject({
      created: 1,
    });
    expect((await org.get('/contacts')).body.items).toHaveLength(1);
  });

  it('tickets that cannot be imported are reported, each with a reason, and the others come in', async () => {
    const file = [
      lines(TICKET),
      lines({ ...TICKET, id: 601, status: 'deleted' }),
      lines({ ...TICKET, id: 602, comments: undefined }),
      lines({ ...TICKET, id: 603, created_at: '2999-01-01T00:00:00Z' }),
      '{"id":604,"subject":"cut off\n',
      lines({ ...TICKET, id: 605, requester: undefined, requester_id: 1 }),
      'no JSON at all\n',
      lines({ ...OPEN_TICKET, id: 606 }),
    ].join('');
    const job = await imported('zendesk', 'conversations', file);
    expect(job).toMatchObject({ records: 8, created: 2, left_out: 6 });
    expect((await codesOf(job)).filter((code) => code.includes(' record '))).toEqual([
      '2 601 record deleted',
      '3 602 record not_readable',
      '4 603 record not_readable',
      '5  record not_readable',
      '6 605 record contact_unknown',
      '7  record not_readable',
    ]);
  });
});

describe('contacts', () => {
  it('contacts of HubSpot come in from its CSV with their names, numbers and all other columns', async () => {
    const file =
      '\ufeff"Record ID","First Name","Last Name","Email","Phone Number","Lifecycle Stage","Create Date"\r\n' +
      '"901","Ada","Lovelace","ada@example.com","+44 20 7946 0958","customer","2023-05-01 10:30"\r\n' +
      '"902","","","","","lead",""\r\n' +
      '"","No","Id","x@example.com","","",""\r\n';
    const job = await imported('hubspot', 'contacts', file, { type: CSV });
    expect(job).toMatchObject({ records: 3, created: 2, left_out: 1 });
    expect((await org.get('/contacts')).body.items).toMatchObject([
      {
        email: 'ada@example.com',
        name: 'Ada Lovelace',
        phone: '+442079460958',
        created_at: '2023-05-01T10:30:00.000Z',
        custom_data: { hubspot_record_id: '901', 'Lifecycle Stage': 'customer' },
      },
      { email: null, name: null, custom_data: { hubspot_record_id: '902' } },
    ]);
    expect(await imported('hubspot', 'contacts', file, { type: CSV })).toMatchObject({ created: 0, unchanged: 2 });
  });
});

describe('Chatwoot', () => {
  it('Chatwoot gives contacts as CSV, and conversations with their agents, notes and greetings', async () => {
    const anna = await addMember(stack.db, org.id, { email: 'anna@shop.example', name: 'Anna' });
    const contacts = await imported('chatwoot', 'contacts', CONTACTS_CSV, { type: CSV });
    expect(contacts).toMatchObject({ records: 3, created: 3, incomplete: 1 });
    const job = await imported('chatwoot', 'conversations', lines(CONVERSATION, SNOOZED));
    expect(job).toMatchObject({ created: 2, left_out: 0 });
    expect(await codesOf(job)).toEqual([
      '1 0b1c6f0e-1111-4222-8333-444455556666 part events_left_out',
      '1 0b1c6f0e-1111-4222-8333-444455556666 part attachments_linked',
      '1 0b1c6f0e-1111-4222-8333-444455556666 part team_unknown',
      '2 0b1c6f0e-1111-4222-8333-444455557777 part snooze_ended',
    ]);
    const [resolved, snoozed] = await sessions();
    expect(resolved).toMatchObject({
      status: 'closed_resolved',
      channel: { type: 'web' },
      assignee_id: anna,
      tags: ['parcel'],
      custom_data: { chatwoot_conversation_id: '12', order: '4711' },
      contact: { email: 'linus@example.com' },
    });
    expect(snoozed).toMatchObject({
      status: 'open',
      channel: { type: 'api' },
      waiting_on: 'human_agents',
      contact: { name: 'silent-river-12' },
    });
    expect((await historyOf(resolved.id)).map(({ event }: never) => event)).toMatchObject([
      { type: 'message', sender: { type: 'system' } },
      { type: 'message', sender: { type: 'contact' } },
      { type: 'human_agent_comment', human_agent_id: anna, content: { text: 'I ask the carrier' } },
      {
        type: 'message',
        sender: { type: 'human_agent' },
        sender_id: anna,
        content: { text: 'It is, since today.\n\nimage: https://chat.example/blobs/3/label.png' },
      },
      { type: 'status_changed' },
    ]);
  });

  it('an import refuses a list of conversations, which has only the last message of each', async () => {
    const { status, body } = await send(
      'chatwoot',
      'conversations',
      lines({ data: { meta: {}, payload: [CONVERSATION] } }),
    );
    expect([status, body.message]).toEqual([400, expect.stringContaining('only the last message of each')]);
  });
});

describe('help centers', () => {
  const tree = async () => (await org.get('/help-center/content')).body.categories;

  it('articles come in as Markdown below their categories, other languages beside them, and drafts not at all', async () => {
    await org.put('/help-center/content', {
      categories: [{ name: 'Own', slug: 'own', articles: [{ title: 'Mine', slug: 'mine', content_markdown: 'Mine' }] }],
    });
    const job = await imported('zendesk', 'help_center', JSON.stringify(HELP_CENTER, null, 2));
    expect(job).toMatchObject({ records: 3, created: 2, left_out: 1 });
    expect(await codesOf(job)).toEqual(['3 52 record not_public']);
    const [own, orders, german] = await tree();
    expect(own.articles).toHaveLength(1);
    expect(orders).toMatchObject({ name: 'Orders', slug: 'orders-31', description: 'All about orders' });
    const [article] = orders.categories[0].articles;
    expect(article).toMatchObject({ title: 'How do I return a parcel?', slug: 'how-do-i-return-a-parcel-51' });
    expect(article.content_markdown).toBe(
      '## Returns\n\nWithin **30 days**. See [the form](https://shop.example/returns).\n\n- Print the label\n- Bring the parcel',
    );
    expect(german).toMatchObject({ slug: 'de', categories: [{ slug: 'orders-31' }] });
    expect(await imported('zendesk', 'help_center', JSON.stringify(HELP_CENTER))).toMatchObject({
      unchanged: 2,
      updated: 0,
    });
    expect(await tree()).toEqual([own, orders, german]);
  });
});

describe('nothing reacts to what is imported', () => {
  it('an import announces no event, starts no workflow but its own, and sends, measures and asks for nothing', async () => {
    await org.post('/webhooks', { url: 'https://hooks.example.com/all' });
    for (const trigger_type of [
      'contact-created',
      'ticket-created',
      'ticket-resolved',
      'ticket-reassigned',
      'ticket-tag-added',
    ])
      await activate(org, { trigger_type });
    await activate(org, { trigger_type: 'ticket-inactive', trigger_configuration: { minutes: 1 } });
    const policy = await org.post('/sla/policies', {
      name: 'Gold',
      first_reply_target_seconds: 60,
      resolution_target_seconds: 3_600,
    });
    expect((await org.put(`/sla/policies/${policy.body.id}/assignment`, {})).status).toBe(200);
    await org.patch('/org/settings', { csat: true, csat_survey: { channels: ['email', 'sms'], delay_minutes: 0 } });
    for (const channel of ['email', 'sms']) await org.patch('/autopilot', { channel, autopilot_enabled: true });
    await settled();
    await sql`create table told (org_id uuid, kind text, type text)`.execute(stack.db);
    await sql`
      create function tell() returns trigger language plpgsql as $$ begin
        insert into told values (new.org_id, new.kind, new.type); return new; end $$
    `.execute(stack.db);
    await sql`create trigger tell after insert on outbox for each row execute function tell()`.execute(stack.db);
    const told = async () =>
      (await sql<{ type: string }>`select type from told where org_id = ${org.id}`.execute(stack.db)).rows.map(
        ({ type }) => type,
      );

    await imported('zendesk', 'contacts', lines(ADA, GRACE));
    await imported('zendesk', 'conversations', lines(TICKET, OPEN_TICKET));
    await imported('zendesk', 'conversations', lines(TICKET, LATER_TICKET));
    await imported('chatwoot', 'conversations', lines(CONVERSATION, SNOOZED));
    expect(await told()).toEqual(Array(4).fill('importRecords'));
    expect(await announceInactiveSessions(stack.db, org.id)).toMatchObject({ announced: 0 });
    const effects = [
      'deliveries',
      'webhook_deliveries',
      'automation_runs',
      'csat_surveys',
      'session_slas',
      'ai_turns',
      'notifications',
    ];
    for (const table of effects)
      expect([
        table,
        (await sql`select from ${sql.table(table)} where org_id = ${org.id}`.execute(stack.db)).rows,
      ]).toEqual([table, []]);

    const [session] = (await sessions()).filter(({ status }: never) => status === 'open');
    await org.post(`/chat/sessions/${session.id}/send`, {
      sender: 'contact',
      message: { type: 'text', text: 'Hello again' },
    });
    expect(await told()).toContain('message-created');
    await sql`update sessions set active_at = now() - interval '5 minutes' where id = ${session.id}`.execute(stack.db);
    expect(await announceInactiveSessions(stack.db, org.id)).toMatchObject({ announced: 1 });
  });

  const settled = () =>
    eventually('an empty outbox', async () => (await sql`select from outbox`.execute(stack.db)).rows.length === 0);
});

describe('a file that cannot be imported', () => {
  it.each([
    ['nothing in it', 'zendesk', 'conversations', ' \n', 'empty'],
    ['another kind of records', 'zendesk', 'conversations', lines(ADA), 'none of the conversations of zendesk: status'],
    ['no JSON', 'zendesk', 'contacts', 'id,name\n1,Ada\n', 'as JSON'],
    ['CSV without ids', 'chatwoot', 'contacts', 'name,email\nAda,a@example.com\n', 'there must be a column id'],
    ['JSON in place of CSV', 'hubspot', 'contacts', lines(ADA), 'CSV'],
    ['what its source does not have', 'hubspot', 'conversations', lines(TICKET), 'no conversations can be imported'],
    ['control characters', 'zendesk', 'contacts', 'a\u0000b', 'control characters'],
    ['no known source', 'freshdesk', 'contacts', lines(ADA), 'source'],
  ])('is refused at once with what to change: %s', async (_, source, resource, file, message) => {
    const { status, body } = await send(source, resource, file);
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('a file is refused as another type, without the scopes, and beside three that are running', async () => {
    expect(
      (await send('zendesk', 'contacts', lines(ADA), { type: { headers: { 'content-type': 'text/html' } } })).status,
    ).toBe(415);
    const reader = await org.withScopes('contacts:write');
    const refused = await send('zendesk', 'conversations', lines(TICKET), { of: reader });
    expect([refused.status, refused.body.code]).toEqual([403, 'missing_scope']);
    await sql`
      insert into imports (org_id, id, source, resource, account, storage_key, size, actor, position, records, created, unchanged)
      select ${org.id}, gen_random_uuid(), 'zendesk', 'contacts', '', 'none', 4000000, '{"kind":"system","id":null,"name":null}',
        1000000, 1200, 1190, 10 from generate_series(1, 3)
    `.execute(stack.db);
    const busy = await send('zendesk', 'contacts', lines(ADA));
    expect([busy.status, busy.body.limit]).toEqual([429, 'imports']);
    const [running] = (await sql<{ id: string }>`select id from imports where org_id = ${org.id}`.execute(stack.db))
      .rows;
    expect((await org.get(`/imports/${running?.id}`)).body).toMatchObject({
      status: 'running',
      progress: 0.25,
      records: 1200,
    });
    expect((await org.post(`/imports/${running?.id}/cancel`)).body).toMatchObject({ status: 'canceled' });
    expect((await send('zendesk', 'contacts', lines(ADA))).status).toBe(202);
  });
});

describe('the list of imports', () => {
  const pageOf = async (of: Client, query = '') => {
    const { status, body } = await of.get(`/imports?${query}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    return { ids: body.items.map(({ id }: { id: string }) => id), next: body.next };
  };

  it('has imports in the order of creation or the newest first, page by page, and none of another org', async () => {
    const jobs: { id: string }[] = [];
    const { body: key } = await org.post('/org/api-keys', { name: 'Moving in', scopes: ['contacts:write'] });
    const mover = stack.client(key.api_key);
    for (const user of [ADA, GRACE, AGENT])
      jobs.push(await imported('zendesk', 'contacts', lines(user), { of: mover }));
    expect(jobs[0]).toMatchObject({ actor: { kind: 'key', name: 'Moving in' } });
    expect((await org.get('/imports')).body).toEqual({ items: jobs, next: null });
    const [first, second, third] = jobs.map(({ id }) => id);
    const newest = await pageOf(org, 'order=newest&limit=2');
    expect(newest).toEqual({ ids: [third, second], next: expect.any(String) });
    expect(await pageOf(org, `order=newest&limit=2&cursor=${newest.next}`)).toEqual({ ids: [first], next: null });
    expect(await pageOf(await stack.createOrg())).toEqual({ ids: [], next: null });
  });

  it('has only the imports of what the caller may import', async () => {
    const contacts = await imported('zendesk', 'contacts', lines(ADA));
    const conversations = await imported('zendesk', 'conversations', lines(TICKET));
    const articles = await imported('chatwoot', 'help_center', lines(...HELP_CENTER_OF_CHATWOOT));
    const seenBy = async (...scopes: Parameters<TestOrg['withScopes']>) =>
      (await pageOf(await org.withScopes(...scopes))).ids;
    expect(await seenBy('contacts:write')).toEqual([contacts.id]);
    expect(await seenBy('contacts:write', 'chat-sessions:write', 'tags:write')).toEqual([
      contacts.id,
      conversations.id,
    ]);
    expect(await seenBy('help-center:write')).toEqual([articles.id]);
    expect(await seenBy('contacts:read', 'chat-sessions:write')).toEqual([]);
  });
});
