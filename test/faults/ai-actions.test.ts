import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { ARTICLES, QUESTION } from '../ai/answering-org.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { type BookingDesk, startBookingDesk } from '../support/fakes/booking-desk.ts';
import { type FakeModel, quoting, startFakeModel } from '../support/fakes/model.ts';
import type { FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { IS_LONG, TEST_LIMIT_MS, TURN_PARTS, TURNS } from './support/sizes.ts';
import { until } from './support/until.ts';

/** Where something is killed: as the model or the action is asked, as the effect has happened, or as the turn ends. */
const POINTS = ['plan', 'before the effect', 'after the effect', 'answer', 'answered'] as const;
type Point = (typeof POINTS)[number];
const END_LIMIT_MS = 240_000;
/** How long a point may be waited for. */
const ARMED_MS = 8_000;

let stack: FaultStack;
let model: FakeModel;
let desk: BookingDesk;
/** Ends the program that is to be killed at this point. */
let armed: { point: Point; strike: () => Promise<void> } | undefined;

/** Kills what is to be killed at this point, once. */
async function reach(point: Point): Promise<void> {
  if (armed?.point !== point) return;
  const { strike } = armed;
  armed = undefined;
  await strike();
}

beforeAll(async () => {
  desk = await startBookingDesk(reach);
  model = await startFakeModel(async (asked) => {
    const said = asked.messages.findLast(({ role }) => role === 'user')?.content ?? '';
    await reach(asked.isPlan ? 'plan' : 'answer');
    const [, name, order] = /Please (book|reserve) order (\d+)/.exec(said) ?? [];
    const receipt = asked.data.receipts?.at(-1)?.receipt;
    if (asked.isPlan && name !== undefined && receipt === undefined)
      return { calls: [{ name, arguments: { body_params: { order } } }] };
    if (asked.isPlan) return { json: { language: 'en', queries: [said] } };
    if (receipt === undefined) return quoting(asked, 'five working days', 'You get it within five working days.');
    const parts = [{ text: 'I have booked it, number 4711.', receipt }];
    return { json: { kind: 'answer', language: 'en', covers: 'fully', parts } };
  });
  stack = await startFaultStack({ env: FAKES_ALLOWED });
}, TEST_LIMIT_MS);
afterAll(async () => {
  await stack.close();
  await model.close();
  await desk.close();
});

async function newOrg(): Promise<FaultOrg> {
  const org = await stack.newOrg();
  const setUp = async (method: string, path: string, body: object) => {
    const { status, body: answer } = await org.call(method, path, body);
    if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`);
  };
  await setUp('PUT', '/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles: ARTICLES }] });
  await setUp('PUT', '/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  await setUp('PATCH', '/autopilot', { channel: 'api', autopilot_enabled: true, ai_agent_version: 'v2' });
  const schema = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] };
  const payload = { requestBody: { required: true, content: { 'application/json': { schema } } } };
  for (const [name, retry_safe] of [
    ['book', false],
    ['reserve', true],
  ])
    await setUp('POST', '/actions', {
      name,
      operation_id: name,
      api_endpoint: `${desk.url}/${name}`,
      request_type: 'POST',
      payload,
      retry_safe,
      enabled_on_channel: { channels: ['api'] },
    });
  return org;
}

const textOf = (nth: number): string =>
  [`Please book order ${nth}`, `Please reserve order ${nth}`, QUESTION, 'I want to talk to a human'][nth % 4] as string;

/** Asks in a new session until the message is accepted. */
async function ask(org: FaultOrg, nth: number): Promise<void> {
  const { body } = await org.post('/chat/sessions', { channel: { type: 'api' } });
  const message = { sender: 'contact', message: { type: 'text', text: textOf(nth) } };
  const { status } = await org.post(`/chat/sessions/${body.id}/send`, message);
  if (status !== 201) throw new Error(`answered ${status}`);
}

interface End {
  text: string;
  state: string;
  reason: string | null;
  calls: { operation_id: string; state: string }[];
  /** What the turn has done, for whoever reads a failure. */
  steps: object[];
}

const endsOf = async (org: FaultOrg): Promise<End[]> =>
  (
    await sql<End>`
      select message.content as text, turn.state, turn.reason,
        (select coalesce(jsonb_agg(jsonb_build_object('operation_id', operation_id, 'state', call.state)), '[]')
          from ai_calls as call where call.org_id = turn.org_id and call.session_id = turn.session_id) as calls,
        (select coalesce(jsonb_agg(to_jsonb(taken) - 'org_id' - 'turn_id' order by taken.step), '[]') from ai_steps as taken
          where taken.org_id = turn.org_id and taken.turn_id = turn.id) as steps
      from session_events as message
      join ai_turns as turn on turn.org_id = message.org_id and message.id = any(turn.answers)
      where message.org_id = ${org.id} and message.sender = 'contact' and turn.ended_at is not null
        and turn.state <> 'superseded'
    `.execute(stack.db)
  ).rows;

const NAMED = new Set(['answered null', 'handed_off user_request', 'handed_off action_outcome_unknown']);

/** Returns what is wrong with the end of a message. */
function problemOf({ text, state, reason, calls, steps }: End): string | undefined {
  const order = /order (\d+)/.exec(text)?.[1];
  const effects = desk.effects.filter((done) => done === order).length;
  const end = `${state} ${reason}`;
  const isNamed = NAMED.has(end) || (order === undefined && end === 'answered partly');
  if (!isNamed) return `“${text}” ended as ${end} after ${JSON.stringify({ calls, steps })}`;
  if (effects > 1) return `“${text}” was done ${effects} times`;
  if (order === undefined) return undefined;
  const isTold = state === 'answered' ? effects === 1 && calls[0]?.state === 'done' : calls[0]?.state === 'unknown';
  return isTold && calls.length === 1
    ? undefined
    : `“${text}” ended as ${end} with ${effects} effects and ${JSON.stringify(calls)}`;
}

/** Rounds of a part, each with one kill. Four parts have each program killed at each point. */
const ROUNDS = IS_LONG ? POINTS.length : 4;

it.each(TURN_PARTS)(
  'no call is made twice, and every message ends in a way that has a name, when programs are killed at each point of a turn, part %i',
  async (part) => {
    const org = await newOrg();
    const programs = [stack.worker, stack.postgres, stack.worker, stack.temporal];
    const first = part * 100;
    const struck: string[] = [];
    let nth = first;
    for (let round = 0; round < ROUNDS; round++) {
      const program = programs[((part - 1) * ROUNDS + round) % programs.length] as (typeof programs)[number];
      const point = POINTS[round % POINTS.length] as Point;
      let isBack: Promise<void> | undefined;
      const isReached = new Promise<void>((resolve) => {
        armed = {
          point: point === 'answered' ? 'answer' : point,
          strike: async () => {
            struck.push(point);
            isBack = (async () => {
              if (point === 'answered') await sleep(30); // while the turn is stored
              await program.kill();
              await program.start();
            })();
            if (point !== 'answered') await isBack;
            resolve();
          },
        };
      });
      await Promise.all(Array.from({ length: Math.ceil(TURNS / ROUNDS) }, () => ask(org, nth++)));
      await Promise.race([isReached, sleep(ARMED_MS)]);
      await isBack;
      armed = undefined;
    }
    await until('all turns have ended', async () => (await endsOf(org)).length === nth - first, END_LIMIT_MS);
    expect((await endsOf(org)).flatMap((end) => problemOf(end) ?? [])).toEqual([]);
    expect(struck.length).toBeGreaterThanOrEqual(ROUNDS - 1);
  },
  TEST_LIMIT_MS,
);
