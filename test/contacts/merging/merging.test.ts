import { sql } from 'kysely';
import { isContactBlocked } from '../../../src/contacts/blocklist/service.ts';
import { getContactSnapshots } from '../../../src/contacts/snapshots.service.ts';
import { newId } from '../../../src/ids.ts';
import { createActionRunner } from '../../automations/action-runner.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { unverified, verified } from '../../widget/client.ts';

let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
});
beforeEach(async () => {
  org = await api.createOrg();
});
afterAll(() => api.close());

const save = async (contact: object): Promise<string> => (await org.post('/contacts', { contact })).body.id;
const merge = (id: string, from_id: string, preview = false, of = org) =>
  of.post(`/contacts/${id}/merge`, { from_id, preview });
const ADA = {
  email: 'ada@example.com',
  external_id: 'crm-1',
  name: 'Ada',
  custom_data: { plan: 'pro', city: 'Paris' },
};
const LOVELACE = {
  email: 'lovelace@example.com',
  phone: '+442079460958',
  external_id: 'crm-2',
  name: 'A. Lovelace',
  custom_data: { plan: 'free', team: 'Maths' },
};

/** All tables with rows of contacts by a column of this name, and the tests' answer to what becomes of them. */
const TABLES = {
  ai_calls: 'stays: the fingerprint of a call has it too; its contact is resolved when it runs',
  ai_eval_cases: 'moves',
  channel_users: 'moves',
  contact_merges: 'moves',
  deliveries: 'moves',
  enrollments: 'moves',
  inbound_messages: 'moves',
  insight_sessions: 'moves',
  sessions: 'moves',
  whatsapp_users: 'moves',
  widget_visitors: 'moves',
  widget_votes: 'moves',
} as const;

it('keeps the values of the contact that stays, fills those that it lacks, and says before what it drops', async () => {
  const [id, fromId] = [await save(ADA), await save(LOVELACE)];
  const preview = await merge(id, fromId, true);
  expect([preview.status, preview.body]).toMatchObject([
    200,
    {
      contact: {
        id,
        email: ADA.email,
        phone_number: LOVELACE.phone,
        phone: LOVELACE.phone,
        external_id: 'crm-1',
        name: 'Ada',
        custom_data: { plan: 'pro', city: 'Paris', team: 'Maths' },
      },
      further: { email: LOVELACE.email, phone_number: null, external_id: 'crm-2' },
      dropped: { name: 'A. Lovelace', custom_data: { plan: 'free' } },
    },
  ]);
  expect((await org.get(`/contacts/${fromId}`)).status).toBe(200);
  expect((await org.get(`/contacts/${id}`)).body.phone_number).toBeNull();

  const { status, body } = await merge(id, fromId);
  expect(status).toBe(200);
  expect(body).toEqual({ ...preview.body, contact: { ...preview.body.contact, updated_at: expect.any(String) } });
  expect((await org.get(`/contacts/${id}`)).body).toEqual(body.contact);
});

it('answers requests for the absorbed contact with the id of the one that it is now, and a repeated merge alike', async () => {
  const [id, fromId] = [await save(ADA), await save(LOVELACE)];
  const { body: first } = await merge(id, fromId);
  const gone = { code: 'contact_merged', conflicting: { type: 'contact', id, field: 'id' } };
  for (const answer of [
    await org.get(`/contacts/${fromId}`),
    await org.get(`/contacts/${fromId}/timeline`),
    await org.patch(`/contacts/${fromId}`, { contact: { name: 'X' } }),
    await org.delete(`/contacts/${fromId}`),
    await merge(fromId, id),
  ])
    expect([answer.status, answer.body]).toMatchObject([404, gone]);
  const again = await merge(id, fromId);
  expect([again.status, again.body]).toEqual([200, first]);
  expect((await org.get(`/contacts/${id}`)).body.name).toBe('Ada');
});

it('finds the contact by what identified the absorbed one, and changes none of its values by it', async () => {
  const [id, fromId] = [await save(ADA), await save(LOVELACE)];
  await merge(id, fromId);
  const { body: batch } = await org.post('/contacts/batch', {
    contacts: [
      { external_id: 'crm-2', name: 'Augusta' },
      { email: LOVELACE.email, custom_data: { via: 'e-mail' } },
      { external_id: 'crm-2', email: LOVELACE.email, custom_data: { via2: 'both' } },
    ],
  });
  expect(batch.results).toEqual([1, 2, 3].map(() => ({ id, created: false })));
  expect(await save({ email: LOVELACE.email })).toBe(id);
  expect((await org.get(`/contacts/${id}`)).body).toMatchObject({
    name: 'Augusta',
    email: ADA.email,
    external_id: 'crm-1',
    custom_data: { via: 'e-mail', via2: 'both' },
  });
  for (const query of ['external_id=crm-2', `email=${LOVELACE.email}`, `email=${ADA.email}`])
    expect((await org.get(`/contacts?${query}`)).body.items.map((one: { id: string }) => one.id)).toEqual([id]);
  const other = await save({ email: 'other@example.com' });
  expect((await org.patch(`/contacts/${other}`, { contact: { email: LOVELACE.email } })).body).toMatchObject({
    code: 'already_exists',
    conflicting: { id },
  });
  expect((await org.patch(`/contacts/${id}`, { contact: { email: LOVELACE.email } })).status).toBe(200);
  expect((await org.get(`/contacts/${id}`)).body.email).toBe(LOVELACE.email);
});

it.each([
  ['e-mail', { email: LOVELACE.email }],
  ['phone number', { phone: LOVELACE.phone }],
  ['external id', { external_id: LOVELACE.external_id }],
])('finds the contact by nothing but the %s of the absorbed one', async (_, key) => {
  const id = await save({ ...ADA, phone: '+442079460111' });
  await merge(id, await save(LOVELACE));
  expect(await save(key)).toBe(id);
  const { body } = await org.post('/contacts/batch', { contacts: [key, { email: 'new@example.com' }] });
  expect(body.results).toMatchObject([{ id, created: false }, { created: true }]);
});

it('makes the absorbed contact’s rows of every table the other one’s, and leaves none behind', async () => {
  const { rows: tables } = await sql<{ table_name: string }>`
    select table_name from information_schema.columns
    where table_schema = 'public' and column_name = 'contact_id' and data_type = 'uuid' order by table_name
  `.execute(api.db);
  expect(tables.map(({ table_name }) => table_name)).toEqual(Object.keys(TABLES).sort());

  const { widget, contactId: fromId } = await verified(api, org, 'absorbed@example.com');
  const webSession = await widget.newSession();
  await widget.send(webSession, 'Hello');
  const id = await save(ADA);
  const earlier = await save({ email: 'earlier@example.com' });
  await merge(fromId, earlier);
  const messages = [{ sender: 'contact', text: 'Hi' }];
  await org.post('/autopilot/evals', { name: 'Case', messages, contact_id: fromId, checks: { ends: 'answered' } });
  const values = { org_id: org.id, contact_id: fromId };
  const sessionId = (await org.post('/chat/sessions', { contact_id: fromId })).body.id as string;
  await org.post(`/chat/sessions/${sessionId}/send`, { sender: 'contact', message: { type: 'text', text: 'Hi' } });
  const { id: eventId } = await api.db
    .selectFrom('session_events')
    .select('id')
    .where('session_id', '=', sessionId)
    .limit(1)
    .executeTakeFirstOrThrow();
  await api.db
    .insertInto('widget_votes')
    .values({ ...values, message_id: eventId, is_up: true })
    .execute();
  await api.db
    .insertInto('channel_users')
    .values({ ...values, channel: 'slack', user_id: 'U1' })
    .execute();
  await api.db
    .insertInto('whatsapp_users')
    .values({ ...values, user_id: 'W1' })
    .execute();
  await api.db
    .insertInto('deliveries')
    .values({ ...values, id: newId(), channel: 'email', to: 'absorbed@example.com', status: 'delivered' })
    .execute();
  await sql`
    insert into inbound_messages (org_id, id, channel, provider, provider_id, "from", "to", body, contact_id)
    values (${org.id}, ${newId()}, 'email', 'smtp', 'm1', 'absorbed@example.com', 'us@example.com', 'Hi', ${fromId})
  `.execute(api.db);
  const insightId = newId();
  await sql`
    insert into insights (org_id, id, root_id, number, content, named_by)
    values (${org.id}, ${insightId}, ${insightId}, 1, 'C', 'quote')
  `.execute(api.db);
  await sql`
    insert into insight_sessions (org_id, insight_id, session_id, channel, status, contact_id, session_created_at)
    values (${org.id}, ${insightId}, ${sessionId}, 'web', 'open', ${fromId}, now())
  `.execute(api.db);
  const sequence = (await org.post('/sequences', { name: 'S', filter: null, steps: [STEP] })).body.id;
  await org.post(`/sequences/${sequence}/contacts`, { contacts: [{ id: fromId }] });

  const countOf = async (table: string, contactId: string) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from ${sql.table(table)} where org_id = ${org.id} and contact_id = ${contactId}
    `.execute(api.db);
    return rows[0]?.count ?? 0;
  };
  const moving = Object.entries(TABLES).flatMap(([table, fate]) => (fate === 'moves' ? [table] : []));
  const before = new Map<string, number>();
  for (const table of moving) before.set(table, (await countOf(table, fromId)) + (await countOf(table, id)));
  expect([...before].filter(([, count]) => count === 0)).toEqual([]);

  const { status, body } = await merge(id, fromId);
  expect(status).toBe(200);
  expect(body.moved).toMatchObject({ sessions: 2, deliveries: 1, inbound_messages: 1, enrollments: 1, eval_cases: 1 });
  for (const table of moving) {
    const added = table === 'contact_merges' ? 1 : 0;
    expect([table, await countOf(table, fromId), await countOf(table, id)]).toEqual([
      table,
      0,
      (before.get(table) ?? 0) + added,
    ]);
  }
  expect((await org.get(`/contacts/${earlier}`)).body).toMatchObject({ code: 'contact_merged', conflicting: { id } });
  expect((await org.get(`/chat/sessions/${sessionId}`)).body.contact.id).toBe(id);
});

const STEP = {
  delay_in_minutes: 60,
  action: {
    type: 'send_emails',
    data: {
      from_email: 'hello@acme.example',
      email_sender_name: 'Acme',
      email_subject: 'S',
      email_body: 'B',
      email_is_transactional: false,
    },
  },
};

it('lets an opt-out and a block of either hold for all addresses of both, but not a bounce', async () => {
  const id = await save({ email: 'one@example.com', phone: '+442079460001' });
  const fromId = await save({ email: 'two@example.com', phone: '+442079460002' });
  await org.post('/suppressions', { channel: 'email', address: 'two@example.com' });
  await org.post('/suppressions', { channel: 'sms', address: '+442079460001' });
  await sql`
    insert into suppressions (org_id, id, channel, address, reason)
    values (${org.id}, ${newId()}, 'whatsapp', '+442079460002', 'bounced')
  `.execute(api.db);
  await org.post('/blocklist/domains', { domains: 'blocked.example' });
  const { body: preview } = await merge(id, fromId, true);
  const { body } = await merge(id, fromId);
  expect(preview.suppressed).toEqual(body.suppressed);
  expect(body.suppressed).toEqual([
    { channel: 'email', address: 'one@example.com' },
    { channel: 'sms', address: '+442079460002' },
  ]);
  const { items } = (await org.get('/suppressions')).body;
  expect(
    items.map(({ channel, address }: { channel: string; address: string }) => `${channel} ${address}`).sort(),
  ).toEqual([
    'email one@example.com',
    'email two@example.com',
    'sms +442079460001',
    'sms +442079460002',
    'whatsapp +442079460002',
  ]);
  expect(body.blocked).toEqual([]);

  const spammer = await save({ email: 'x@blocked.example' });
  expect((await merge(id, spammer)).body.blocked).toEqual(['one@example.com', 'two@example.com']);
  const { body: blocklist } = await org.get('/blocklist/contacts');
  expect(blocklist.data.map(({ email }: { email: string }) => email).sort()).toEqual([
    'one@example.com',
    'two@example.com',
  ]);
});

it('lets a later opt-out by the API hold for all addresses, with the audit of each', async () => {
  const id = await save({ email: 'one@example.com', phone: '+442079460001' });
  const fromId = await save({ email: 'two@example.com', phone: '+442079460002' });
  await merge(id, fromId);
  expect((await org.post('/suppressions', { address: 'two@example.com' })).body.address).toBe('two@example.com');
  expect((await org.post('/suppressions', { channel: 'sms', address: '+442079460001' })).status).toBe(201);
  const { items } = (await org.get('/suppressions')).body;
  expect(items.map((one: Record<string, string>) => `${one.channel} ${one.address} ${one.reason}`).sort()).toEqual([
    'email one@example.com manual',
    'email two@example.com manual',
    'sms +442079460001 manual',
    'sms +442079460002 manual',
  ]);
  expect((await org.get('/audit?kind=suppression')).body.items).toHaveLength(4);
});

it('is blocked by a block of an e-mail or domain of the absorbed contact, before and after the next merge', async () => {
  const [id, fromId] = [await save(ADA), await save(LOVELACE)];
  await merge(id, fromId);
  expect(await isContactBlocked(api.db, org.id, id)).toBe(false);
  await org.post('/blocklist/contacts', { email: LOVELACE.email });
  expect(await isContactBlocked(api.db, org.id, id)).toBe(true);
  expect((await getContactSnapshots(api.db, org.id, [id])).get(id)?.isBlocked).toBe(true);
  const other = await save({ email: 'other@example.com' });
  expect((await merge(other, id)).body.blocked).toEqual(['other@example.com', ADA.email]);
});

it('keeps the tokens of both contacts’ visitors valid, each for the sessions that it saw before', async () => {
  const [own, absorbed] = [await unverified(api, org), await unverified(api, org)];
  const [ownSession, absorbedSession] = [await own.newSession(), await absorbed.newSession()];
  await own.send(ownSession, 'From here');
  await absorbed.send(absorbedSession, 'From there');
  const contactOf = async (session: string) => (await org.get(`/chat/sessions/${session}`)).body.contact.id as string;
  const [id, fromId] = [await contactOf(ownSession), await contactOf(absorbedSession)];
  expect((await merge(id, fromId)).status).toBe(200);
  expect(await contactOf(absorbedSession)).toBe(id);

  await absorbed.send(absorbedSession, 'Still there');
  const texts = async (widget: typeof own, session: string) => (await widget.said(session)).map(([, text]) => text);
  expect(await texts(absorbed, absorbedSession)).toEqual(['From there', 'Still there']);
  expect((await absorbed.get(`poll/${ownSession}`)).status).toBe(404);
  expect((await own.get(`poll/${absorbedSession}`)).status).toBe(404);

  const other = await save(ADA);
  const { body: preview } = await merge(other, id, true);
  expect(preview.moved.visitors).toBe(2);
  expect((await merge(other, id)).body.moved).toEqual(preview.moved);
  expect(await contactOf(absorbedSession)).toBe(other);
  expect(await texts(absorbed, absorbedSession)).toEqual(['From there', 'Still there']);
});

it('resolves the absorbed contact for requests and steps of workflows that name it', async () => {
  const [id, fromId] = [await save(ADA), await save(LOVELACE)];
  await merge(id, fromId);
  const { body: session } = await org.post('/chat/sessions', { contact_id: fromId });
  expect((await org.get(`/chat/sessions/${session.id}`)).body.contact.id).toBe(id);
  const perform = createActionRunner(api);
  const { contact } = await perform(org, 'update-contact', { contact_id: fromId, fields: { name: 'By a step' } });
  expect(contact).toMatchObject({ id, name: 'By a step' });
  const sequence = (await org.post('/sequences', { name: 'S', filter: null, steps: [STEP] })).body.id;
  const added = await org.post(`/sequences/${sequence}/contacts`, { contacts: [{ id: fromId }] });
  expect(added.body).toMatchObject({ enrolled: 1, skipped: [] });
  const { items } = (await org.get(`/sequences/${sequence}/enrollments`)).body;
  const removed = await perform(org, 'remove-from-sequence', { sequence_id: sequence, contact_id: fromId });
  expect(items).toMatchObject([{ id: removed.enrollment_id, contact_id: id }]);
});

it('erases all that was absorbed with the contact that stays', async () => {
  const [id, fromId] = [await save(ADA), await save(LOVELACE)];
  await merge(id, fromId);
  expect((await org.delete(`/contacts/${id}`)).status).toBe(200);
  expect((await org.get(`/contacts/${fromId}`)).body.code).toBe('not_found');
  const { rows } = await sql`select from contact_merges where org_id = ${org.id}`.execute(api.db);
  expect(rows).toEqual([]);
  const announced = await api.db
    .selectFrom('outbox')
    .select('subject_id')
    .where('org_id', '=', org.id)
    .where('type', '=', 'contact-deleted')
    .execute();
  expect(announced.map(({ subject_id }) => subject_id).sort()).toEqual([id, fromId].sort());
  expect(await save({ email: LOVELACE.email })).not.toBe(id);
});

it('announces the merge where a webhook waits for it, and records it in the audit', async () => {
  const [id, fromId] = [await save(ADA), await save(LOVELACE)];
  const endpoint = { url: 'https://93.184.215.14/hooks', event_types: ['contact.merged'] };
  expect((await org.post('/webhooks', endpoint)).status).toBe(201);
  await merge(id, fromId);
  const events = await api.db
    .selectFrom('outbox')
    .select(['type', 'subject_id', 'payload'])
    .where('org_id', '=', org.id)
    .where('type', 'in', ['contact-merged', 'contact-updated'])
    .execute();
  expect(events.find(({ type }) => type === 'contact-merged')).toMatchObject({
    subject_id: id,
    payload: { absorbed_id: fromId },
  });
  expect(events.find(({ type }) => type === 'contact-updated')).toMatchObject({
    subject_id: id,
    payload: { before: { email: ADA.email, phone_number: null } },
  });
  const { body } = await org.get('/audit?kind=contact');
  expect(body.items).toMatchObject([{ kind: 'contact', ref: id, changes: [{ field: 'absorbed_id', new: fromId }] }]);
});

it('answers 404 for contacts of another org, 400 for the same one twice, and 403 without the scope', async () => {
  const [id, fromId] = [await save(ADA), await save(LOVELACE)];
  const { body: foreign } = await api.other.post('/contacts', { contact: { email: 'x@example.com' } });
  expect((await merge(id, foreign.id)).status).toBe(404);
  expect((await merge(id, foreign.id, true)).status).toBe(404);
  expect((await merge(foreign.id, id)).status).toBe(404);
  expect((await merge(id, fromId, false, api.other)).status).toBe(404);
  expect((await merge(id, newId())).status).toBe(404);
  expect((await merge(id, id)).status).toBe(400);
  const reader = await org.withScopes('contacts:read');
  expect((await reader.post(`/contacts/${id}/merge`, { from_id: fromId, preview: true })).status).toBe(403);
  expect((await org.get(`/contacts/${fromId}`)).status).toBe(200);
});

it('merges one way when both ways are asked for at once, while sessions are opened and messages arrive', async () => {
  for (let round = 0; round < 5; round++) {
    const emails = [`a${round}@example.com`, `b${round}@example.com`];
    const [a = '', b = ''] = await Promise.all(emails.map((email) => save({ email })));
    const sessions: string[] = await Promise.all(
      [a, b, a, b].map(async (contact_id) => (await org.post('/chat/sessions', { contact_id })).body.id),
    );
    const message = { sender: 'contact', message: { type: 'text', text: 'Hi' } };
    const [ab, ba, ...others] = await Promise.all([
      merge(a, b),
      merge(b, a),
      ...sessions.map((session) => org.post(`/chat/sessions/${session}/send`, message)),
      ...[a, b, a, b].map((contact_id) => org.post('/chat/sessions', { contact_id })),
    ]);
    expect([ab?.status, ba?.status].sort()).toEqual([200, 404]);
    expect(others.map(({ status }) => status).filter((status) => status !== 201)).toEqual([]);
    const stays = ab?.status === 200 ? a : b;
    const opened = others.slice(4, 8).map(({ body }) => body.id as string);
    const { items } = (await org.get(`/inbox?view=all&contact_id=${stays}&limit=50`)).body;
    expect(items.map((item: { id: string }) => item.id).sort()).toEqual([...sessions, ...opened].sort());
    expect(await Promise.all(emails.map((email) => save({ email })))).toEqual([stays, stays]);
  }
});
