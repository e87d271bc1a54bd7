import { sql, type Updateable } from 'kysely';
import type { SessionsTable } from '../../../src/conversations/table.ts';
import type { Trx } from '../../../src/db/connect.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';

const TEXT = 'Where is the parcel that I ordered on the third of last month?';

let api: TestApi;
/** Another process of the same installation, without fast paths. */
let slowApi: TestApi;
beforeAll(async () => {
  api = await startApi();
  slowApi = await startApi({ databaseUrl: api.databaseUrl, env: { FAST_PATHS: 'off' } });
  await api.org.post('/blocklist/contacts', { email: 'blocked@example.com' });
});
afterAll(async () => {
  await slowApi.close();
  await api.close();
});

type State = Pick<
  Updateable<SessionsTable>,
  | 'status'
  | 'language'
  | 'relayed_side'
  | 'has_sla'
  | 'waiting_on'
  | 'ai_state'
  | 'ai_closure_type'
  | 'assist_mode'
  | 'sentiment'
  | 'handoff'
>;

async function newSession(state: State = {}, email: string | null = `${crypto.randomUUID()}@example.com`) {
  const contact_id = email === null ? undefined : (await api.org.post('/contacts', { contact: { email } })).body.id;
  const { id } = (await api.org.post('/chat/sessions', { contact_id })).body;
  await api.db
    .updateTable('sessions')
    .set({ language: 'en', ...state })
    .where('org_id', '=', api.org.id)
    .where('id', '=', id)
    .execute();
  await sql`delete from outbox where subject_id in (${id}, ${contact_id ?? id})`.execute(api.db);
  return { id, contactId: contact_id as string | undefined };
}

const messageOf = (more: object = {}) => ({ sender: 'contact', message: { type: 'text', text: TEXT }, ...more });
const send = (id: string, more: object = {}, headers: Record<string, string> = {}) =>
  api.org.post(`/chat/sessions/${id}/send`, messageOf(more), { headers });
const sendSlowly = (id: string, more: object = {}) =>
  slowApi.client(api.org.key).post(`/chat/sessions/${id}/send`, messageOf(more));

/** What a message has left behind, without times and what is different for each session. */
async function tracesOf({ id, contactId }: { id: string; contactId: string | undefined }) {
  const session = await api.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const events = await api.db
    .selectFrom('session_events')
    .select(['seq', 'id', 'type', 'sender', 'content', 'data', 'language', sql`search::text`.as('search')])
    .select(sql`xid = ${session.last_event_xid}::xid8`.as('is_of_session'))
    .where('session_id', '=', id)
    .where('seq', '>', 0) // all but its creation
    .orderBy('seq')
    .execute();
  const announced = await api.db
    .selectFrom('outbox')
    .select(['kind', 'type', 'subject_id', 'payload', 'causation', 'depth'])
    .where('subject_id', 'in', [id, contactId ?? id])
    .orderBy('id')
    .execute();
  const times = Object.fromEntries(
    Object.entries(session).map(([name, value]) => [name, value instanceof Date ? 'a time' : value]),
  );
  const known = new Map([[id, 'session'], ...(contactId === undefined ? [] : ([[contactId, 'contact']] as const))]);
  for (const [place, event] of events.entries()) known.set(event.id, `event ${place}`);
  const text = JSON.stringify({ session: { ...times, ticket_number: 0, last_event_xid: '' }, events, announced });
  return JSON.parse([...known].reduce((rest, [from, to]) => rest.replaceAll(from, to), text));
}

const STATES: Record<string, [State, (string | null)?]> = {
  'an open session': [{}],
  'a session without a contact': [{}, null],
  'a session under an SLA policy': [{ has_sla: true }],
  'a session whose agents work in another system': [{ relayed_side: 'agents' }],
  'a session with another system on both sides': [{ relayed_side: 'both', has_sla: true }],
  'a session whose customer is served by another system': [{ relayed_side: 'customer' }],
  'a session that is handed off': [
    { handoff: '{"state":"done","summary":null,"sentiment":null,"reason":null,"at":"2026-01-01T00:00:00Z"}' },
  ],
  'a session that waits for its customer': [{ waiting_on: 'customers', ai_state: 'on' }],
  'a session that people have taken from the AI': [{ ai_state: 'paused', assist_mode: true }],
  'a session that the AI has handed off, of an angry contact': [{ ai_closure_type: 'handed_off', sentiment: 'angry' }],
  'a session of an unknown language': [{ language: null }],
  'a closed session': [{ status: 'closed_resolved' }],
  'a session of a blocked contact': [{}, 'blocked@example.com'],
};

describe('a contact’s message leaves the same with and without details, and with and without fast paths', () => {
  for (const [name, [state, email]] of Object.entries(STATES))
    it(`in ${name}`, async () => {
      const [plain, slow, detailed] = [
        await newSession(state, email),
        await newSession(state, email),
        await newSession(state, email),
      ];
      const answers = [await send(plain.id), await sendSlowly(slow.id), await send(detailed.id, { contact: {} })];
      expect(answers[0]?.status).toBe(201);
      for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
      const traces = await tracesOf(plain);
      expect(traces.events.at(-1)).toMatchObject({
        type: 'message',
        sender: 'contact',
        content: TEXT,
        is_of_session: true,
      });
      for (const other of [slow, detailed]) expect(await tracesOf(other)).toEqual(traces);
      await send(plain.id);
      await sendSlowly(slow.id);
      await send(detailed.id, { contact: {} });
      const tracesOfTwo = await tracesOf(plain);
      for (const other of [slow, detailed]) expect(await tracesOf(other)).toEqual(tracesOfTwo);
    });
});

it.each([
  ['of two letters', 'Hi'],
  ['with spaces and lines around it', ' \n Where is it?\t\r\n\r\n'],
  ['of an emoji with a skin tone', '👍🏽'],
  ['with a NUL', 'Where\u0000is it?'],
  ['with half a surrogate pair', 'Where \ud800 is it?'],
  ['with a quotation', '> Is it there?\nNo.'],
  ['of 20,000 characters', 'é'.repeat(20_000)],
  ['of nothing', ''],
])('a text %s leaves the same with and without fast paths', async (_, text) => {
  for (const language of ['en', null]) {
    const [plain, slow] = [await newSession({ language }), await newSession({ language })];
    const message = { message: { type: 'text', text } };
    const answers = [await send(plain.id, message), await sendSlowly(slow.id, message)];
    expect(answers[1]?.status).toBe(answers[0]?.status);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect(await tracesOf(slow)).toEqual(await tracesOf(plain));
  }
});

it('a text too short for it leaves a session’s language open, and a longer one tells it of both', async () => {
  const session = await newSession({ language: null });
  await send(session.id, { message: { type: 'text', text: 'Hi' } });
  expect((await tracesOf(session)).session.language).toBeNull();
  await send(session.id);
  const { session: known, events } = await tracesOf(session);
  expect(known.language).toBe('en');
  expect(events.map(({ language }: { language: string }) => language)).toEqual(['en', 'en']);
});

it('the first message of a session that tells its language changes the session once', async () => {
  const { id } = await newSession({ language: null });
  await sql`create table changes_of_sessions as select 0 as changes`.execute(api.db);
  await sql`
    create function count_changes() returns trigger language plpgsql as $$
      begin update changes_of_sessions set changes = changes + 1; return null; end $$;
    create trigger count_changes after update on sessions for each row execute function count_changes()`.execute(
    api.db,
  );
  await send(id);
  const { rows } = await sql`select changes, language from changes_of_sessions, sessions where id = ${id}`.execute(
    api.db,
  );
  expect(rows).toEqual([{ changes: 1, language: 'en' }]);
  await sql`drop function count_changes cascade`.execute(api.db);
});

/** Runs `work` in a transaction that ends when `finish` is called. */
async function hold(work: (trx: Trx) => Promise<unknown>) {
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const { promise: done, resolve: isDone } = Promise.withResolvers<void>();
  const committed = inTransaction(api.db, async (trx) => {
    await work(trx);
    isDone();
    await finished;
  });
  await done;
  return async () => {
    finish();
    await committed;
  };
}

const untilWaiting = (statements: number) =>
  eventually('statements that wait for a lock', async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(api.db);
    return rows.length === statements;
  });

describe('a contact’s message that waits for its session', () => {
  it('reopens the session if it was closed meanwhile', async () => {
    const { id } = await newSession();
    const finish = await hold((trx) =>
      sql`update sessions set status = 'closed_resolved', closed_at = now() where id = ${id}`.execute(trx),
    );
    const sent = send(id);
    await untilWaiting(1);
    await finish();
    expect((await sent).status).toBe(201);
    const { events, session } = await tracesOf({ id, contactId: undefined });
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['status_changed', 'message']);
    expect(session.status).toBe('open');
  });

  it('is not answered if the session was given a blocked contact meanwhile', async () => {
    const { id } = await newSession({}, null);
    await api.org.post('/blocklist/contacts', { email: 'late@example.com' });
    const contactId = newId();
    const finish = await hold(async (trx) => {
      await sql`insert into contacts (org_id, id, email) values (${api.org.id}, ${contactId}, 'late@example.com')`.execute(
        trx,
      );
      await sql`
        update sessions set contact_id = ${contactId}, last_event_xid = pg_current_xact_id() where id = ${id}`.execute(
        trx,
      );
    });
    await sql`select pg_current_xact_id()`.execute(api.db); // it began later, and has ended
    const sent = send(id);
    await untilWaiting(1);
    await finish();
    expect((await sent).status).toBe(201);
    const { announced } = await tracesOf({ id, contactId });
    expect(announced.map(({ type }: { type: string }) => type)).not.toContain('contact-replied');
  });

  it('is not before a message in the org’s order of events that is before it in the session', async () => {
    const { id } = await newSession();
    const finish = await hold((trx) => sql`select from sessions where id = ${id} for no key update`.execute(trx));
    const first = send(id, { sender: 'agent' });
    await untilWaiting(1);
    const second = send(id);
    await untilWaiting(2);
    await finish();
    expect([(await first).status, (await second).status]).toEqual([201, 201]);
    const { rows } = await sql<{ sender: string }>`
      select sender from session_events where session_id = ${id} and seq > 0 order by xid, session_id, seq`.execute(
      api.db,
    );
    const { events } = await tracesOf({ id, contactId: undefined });
    expect(rows.map(({ sender }) => sender)).toEqual(events.map(({ sender }: { sender: string }) => sender));
    expect(rows).toHaveLength(2);
  });
});

describe('contacts’ messages that come at once', () => {
  it('leave the same in each session as one after the other', async () => {
    const states: [State, (string | null)?][] = [
      ...Array.from({ length: 8 }, (): [State] => [{}]),
      [{ has_sla: true, relayed_side: 'both' }],
      [{ language: null }],
      [{ status: 'closed_resolved' }],
      [{}, 'blocked@example.com'],
    ];
    const pairs = await Promise.all(
      states.map(async ([state, email]) => [await newSession(state, email), await newSession(state, email)] as const),
    );
    for (const [, one] of pairs) {
      await send(one.id);
      await send(one.id);
    }
    const together = [...pairs, ...pairs].map(([session]) => send(session.id));
    expect(new Set((await Promise.all(together)).map(({ status }) => status))).toEqual(new Set([201]));
    for (const [session, one] of pairs) expect(await tracesOf(session)).toEqual(await tracesOf(one));
  });

  it('do not wait for one whose session is locked', async () => {
    const [held, ...free] = await Promise.all(Array.from({ length: 6 }, () => newSession()));
    const finish = await hold((trx) => sql`select from sessions where id = ${held?.id} for no key update`.execute(trx));
    const waiting = send(held?.id ?? '');
    const answers = await Promise.all([...free, ...free].map(({ id }) => send(id)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    await untilWaiting(1);
    await finish();
    expect((await waiting).status).toBe(201);
  });
});

it('a contact’s message with an Idempotency-Key is added once', async () => {
  const session = await newSession();
  const headers = { 'idempotency-key': newId() };
  const [first, again] = [await send(session.id, {}, headers), await send(session.id, {}, headers)];
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
  const { events, announced } = await tracesOf(session);
  expect(events).toHaveLength(1);
  expect(announced.map(({ type }: { type: string }) => type)).toEqual(['message-created', 'contact-replied']);
});

it('a contact’s message to a session of another org is refused, and changes nothing', async () => {
  const session = await newSession();
  const before = await tracesOf(session);
  const body = { sender: 'contact', message: { type: 'text', text: TEXT } };
  expect((await api.other.post(`/chat/sessions/${session.id}/send`, body)).status).toBe(404);
  expect(await tracesOf(session)).toEqual(before);
});
