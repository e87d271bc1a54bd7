import { sql } from 'kysely';
import { lockSession } from '../../../src/conversations/sessions/service.ts';
import type { Db, Trx } from '../../../src/db/connect.ts';
import { FAKES_ALLOWED } from '../../support/channels.ts';
import { startFaultyServer } from '../../support/fakes/faulty-server.ts';
import { startFakeModel } from '../../support/fakes/model.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { untilOneWaits } from '../../support/stack/lock-waits.ts';
import { eventually, startStack } from '../../support/stack/stack.ts';
import { messagesOf, newAnsweringOrg } from '../answering-org.ts';

const BODY = {
  content: {
    'application/json': { schema: { type: 'object', properties: { seats: { type: 'integer' } }, required: ['seats'] } },
  },
  required: true,
};

/** What a contact has written as an order, such as “book 2”. Anything else is a question. */
const ORDER = /^(book|reserve) (\d+)/i;

export type Booking = Awaited<ReturnType<typeof startBooking>>;

/**
 * A stack with a shop that books, and with a model that calls `book` or `reserve` for “book 2” and answers all else by one
 * sentence. An org asks its contacts before it books, and reserves without a question.
 */
export async function startBooking() {
  const model = await startFakeModel();
  /** The bodies of the requests that the shop has received. */
  const effects: string[] = [];
  const shop = await startFaultyServer(
    ({ body }) => {
      effects.push(body);
      return { status: 200, body: { booking: 4711 } };
    },
    () => undefined,
  );
  const stack = await startStack({ env: FAKES_ALLOWED });
  await letTurnsBeHeld(stack.db);

  const action = (name: string, confirm: string) => ({
    name,
    operation_id: name.toLowerCase(),
    api_endpoint: `${shop.url}/${name}`,
    request_type: 'POST',
    payload: { requestBody: BODY },
    enabled_on_channel: { channels: ['api'] },
    confirm,
  });

  return {
    stack,
    model,
    effects,
    /** Has the model do what the contact has written last, once `ready` resolves for it. */
    obey: (ready: (said: string) => Promise<void> | undefined = () => undefined) =>
      model.say(async ({ isPlan, question, data }) => {
        await ready(question);
        const order = ORDER.exec(question);
        const isDone = data.receipts?.some(({ text }) => text.includes(`"seats":${order?.[2]}`)) ?? false;
        if (isPlan && order !== null && !isDone)
          return {
            calls: [{ name: order[1]?.toLowerCase() ?? '', arguments: { body_params: { seats: Number(order[2]) } } }],
          };
        if (isPlan) return { json: { language: 'en', queries: ['seats'] } };
        const parts = [{ question: 'Which seats do you mean?' }];
        return { json: { kind: 'ask', language: 'en', covers: 'fully', parts } };
      }),
    async newOrg(): Promise<TestOrg> {
      const org = await newAnsweringOrg(stack);
      await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
      await org.patch('/autopilot', { channel: 'api', autopilot_enabled: true, ai_agent_version: 'v2' });
      await org.post('/actions', action('book', 'always'));
      await org.post('/actions', action('reserve', 'auto'));
      return org;
    },
    async close() {
      await stack.close();
      await model.close();
      await shop.close();
    },
  };
}

/** Writes as the contact of a session, or of a new one, until it is accepted: a held turn may have the session. Returns its id. */
export async function say(org: TestOrg, text: string, session?: string): Promise<string> {
  const id = session ?? (await org.post('/chat/sessions', { channel: { type: 'api' } })).body.id;
  const message = { sender: 'contact', message: { type: 'text', text } };
  await eventually('the message to be accepted', async () => {
    const { status } = await org.post(`/chat/sessions/${id}/send`, message, { headers: { prefer: 'wait=0' } });
    return status < 300;
  });
  return id;
}

/** Waits until all of a session's turns have ended, of which there are so many, and returns the last one. */
export const turnOf = (org: TestOrg, id: string, count: number) =>
  eventually(`the end of turn ${count}`, async () => {
    const { items } = (await org.get(`/chat/sessions/${id}/turns`)).body;
    const isOver = items.every(({ ended_at }: { ended_at: string | null }) => ended_at !== null);
    return isOver ? items[count - 1] : undefined;
  });

interface Call {
  id: string;
  state: string;
  arguments: { body_params: { seats: number } };
}

/** Returns the calls of a session, oldest first. */
export const callsOf = async (org: TestOrg, id: string): Promise<Call[]> =>
  (await org.get(`/autopilot/calls?session_id=${id}`)).body.items;

/** Returns what has become of the bookings of a session, each as `<seats>: <state>`. */
export const bookingsOf = async (org: TestOrg, id: string): Promise<string[]> =>
  (await callsOf(org, id)).map((call) => `${call.arguments.body_params.seats}: ${call.state}`);

export const textsOf = async (org: TestOrg, id: string): Promise<string[]> =>
  (await messagesOf(org, id)).map(({ content }) => content.text);

/** Waits until the AI has said something. */
export const told = (org: TestOrg, id: string, text: string) =>
  eventually(`the message “${text}”`, async () => (await textsOf(org, id)).includes(text));

/** Returns the path of the link in the last question of a session. */
export async function linkOf(org: TestOrg, id: string): Promise<string> {
  const question = (await textsOf(org, id)).findLast((text) => text.includes('/a/'));
  return new URL(/https?:\S+\/a\/\S+/.exec(question ?? '')?.[0] ?? 'x:none').pathname;
}

export const decideBy = (stack: Booking['stack'], path: string, decision: string) =>
  stack.client().post(path, `decision=${decision}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

/** Where a turn can be held, while it has its session: when it stores a call that it proposes, or the step that did so. */
const HELD = { proposal: 4_711, step: 4_712 };

const letTurnsBeHeld = (db: Db) =>
  sql`
    do $$ begin
      create function wait_for_test() returns trigger language plpgsql as $body$ begin
        perform pg_advisory_xact_lock_shared(tg_argv[0]::bigint);
        return new;
      end $body$;
      create trigger waits_for_test before insert on ai_calls for each row execute function wait_for_test(${sql.lit(HELD.proposal)});
      create trigger waits_for_test before insert on ai_steps for each row
        when (new.purpose = 'call') execute function wait_for_test(${sql.lit(HELD.step)});
    end $$
  `.execute(db);

/** Does `work` while no turn goes on from the step that has proposed a call. */
export const holdingTurns = (db: Db, work: () => Promise<void>): Promise<void> => holding(db, 'step', work);

/** Does `work` while turns are held. It may let them go on earlier. */
async function holding(db: Db, place: keyof typeof HELD, work: (release: () => Promise<void>) => Promise<void>) {
  await db.connection().execute(async (connection) => {
    const release = async () => void (await sql`select pg_advisory_unlock(${HELD[place]})`.execute(connection));
    await sql`select pg_advisory_lock(${HELD[place]})`.execute(connection);
    try {
      await work(release);
    } finally {
      await sql`select pg_advisory_unlock_all()`.execute(connection);
    }
  });
}

/**
 * Does `work` in the transaction that has the session next after a turn has stored the call that it proposes, or the step
 * that did so. After the step, the turn waits for the session to store its end. `begin` returns the session.
 */
export async function behindTurn(
  db: Db,
  orgId: string,
  place: keyof typeof HELD,
  { begin, work }: { begin: () => Promise<string>; work: (trx: Trx) => Promise<void> },
): Promise<string> {
  let id = '';
  await holding(db, place, async (release) => {
    id = await begin();
    await untilOneWaits(db, sql`wait_event = 'advisory'`);
    await db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      const pid = rows[0]?.pid;
      const locked = lockSession(trx, orgId, id);
      await untilOneWaits(db, sql`pid = ${pid}`);
      await release();
      await locked;
      if (place === 'step') await untilOneWaits(db, sql`${pid} = any(pg_blocking_pids(pid))`);
      await work(trx);
    });
  });
  return id;
}
