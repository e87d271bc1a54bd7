import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { ARTICLES, QUESTION } from '../ai/answering-org.ts';
import type { FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { TEST_LIMIT_MS, TURN_PARTS, TURNS } from './support/sizes.ts';
import { until } from './support/until.ts';

/** What contacts ask, with the state that its turn ends in. */
const ASKED = [
  [QUESTION, 'answered'],
  ['I want to talk to a human', 'handed_off'],
  ['Does the zeppelin fly to Kathmandu on Thursdays?', 'handed_off'],
  ['Thanks!', 'skipped'],
] as const;

let stack: FaultStack;
beforeAll(async () => {
  stack = await startFaultStack();
}, TEST_LIMIT_MS);
afterAll(() => stack.close());

/** Programs that start beside other tests take their time. */
const END_LIMIT_MS = 180_000;

/** Without quiet, a turn needs no workflow. */
async function newOrg(quietSeconds: number): Promise<FaultOrg> {
  const org = await stack.newOrg();
  await org.call('PUT', '/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles: ARTICLES }] });
  await org.call('PATCH', '/autopilot', { channel: 'api', autopilot_enabled: true });
  await org.call('PATCH', '/autopilot/settings', { quiet_seconds: { api: quietSeconds } });
  await org.call('POST', '/autopilot/settings/publish');
  return org;
}

/** Asks in a new session until the message is accepted. A message whose answer is lost may be there twice. */
async function ask(org: FaultOrg, text: string): Promise<string> {
  for (;;) {
    try {
      const session = await org.call('POST', '/chat/sessions', { channel: { type: 'api' } });
      if (session.status !== 201) throw new Error(`answered ${session.status}`);
      const { id } = session.body;
      const sent = await org.call('POST', `/chat/sessions/${id}/send`, {
        sender: 'contact',
        message: { type: 'text', text },
      });
      if (sent.status === 201) return id;
    } catch {
      // the database is away
    }
    await sleep(200);
  }
}

it.each(TURN_PARTS)(
  'every message of a contact ends in one turn, and is answered once, when worker, Postgres and Temporal are killed, part %i',
  async () => {
    const orgs = [await newOrg(0), await newOrg(0.3)] as const;
    const orgIds = orgs.map(({ id }) => id);
    let isOver = false;
    const asking = (async () => {
      const sessions: string[] = [];
      for (let nth = 0; nth < TURNS; nth += 4) {
        const org = orgs[(nth / 4) % 2] ?? orgs[0];
        sessions.push(...(await Promise.all(ASKED.map(([text]) => ask(org, text)))));
        await sleep(300);
      }
      return sessions;
    })().finally(() => {
      isOver = true;
    });
    const programs = [stack.worker, stack.postgres, stack.worker, stack.temporal];
    let kills = 0;
    for (; kills < programs.length || (!isOver && kills < TURNS); kills++) {
      await sleep(600 + Math.random() * 1_500);
      const program = programs[kills % programs.length] as (typeof programs)[number];
      await program.kill();
      await program.start();
    }
    const sessions = await asking;

    await until(
      'all turns have ended',
      async () => {
        const { rows } = await sql<{ left: number }>`
        select count(*)::int as left from session_events as message
        where org_id = any(${orgIds}::uuid[]) and type = 'message' and sender = 'contact' and not exists (
          select from ai_turns as turn where turn.org_id = message.org_id and message.id = any(turn.answers)
            and turn.ended_at is not null and turn.state <> 'superseded'
        )
      `.execute(stack.db);
        return rows[0]?.left === 0;
      },
      END_LIMIT_MS,
    );
    const { rows: ends } = await sql<{ session_id: string; states: string[]; spoke: number; said: number }>`
      select turn.session_id, array_agg(turn.state) as states, count(*) filter (where has_message)::int as spoke,
        (select count(*)::int from session_events where org_id = turn.org_id and session_id = turn.session_id and sender = 'ai') as said
      from ai_turns as turn where org_id = any(${orgIds}::uuid[]) and state <> 'superseded' group by turn.org_id, turn.session_id
    `.execute(stack.db);
    const bySession = new Map(ends.map((end) => [end.session_id, end]));
    const wrong = sessions.flatMap((id, nth) => {
      const state = ASKED[nth % ASKED.length]?.[1];
      const end = bySession.get(id);
      const isRight = end?.states.length === 1 && end.states[0] === state && end.spoke === end.said;
      return isRight ? [] : [{ state, end }];
    });
    expect(wrong).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(programs.length);
  },
  TEST_LIMIT_MS,
);
