import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { inTransaction } from '../../src/db/transaction.ts';
import { lockInsights } from '../../src/insights/queries.ts';
import { differencesFromRecount } from '../insights/recount.ts';
import { type FakeModel, startFakeModel } from '../support/fakes/model.ts';
import type { FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import type { Program } from './support/programs.ts';
import { INSIGHT_KILLS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

/** What customers run into: each is an insight. */
const MATTERS = ['My parcel has not arrived', 'The invoice shows a wrong sum', 'I cannot change my password'];
/** Programs that start beside other tests take their time. */
const END_LIMIT_MS = 180_000;
const WAIT_LIMIT_MS = 60_000;

type Point = 'extraction' | 'naming' | 'assignment' | 'merge' | 'split';
type Victim = 'worker' | 'postgres' | 'temporal' | 'api';

/** What is killed while the work at a point has begun and has not ended. */
const KILLS: [Point, Victim][] = [
  ['extraction', 'worker'],
  ['assignment', 'worker'],
  ['naming', 'worker'],
  ['extraction', 'postgres'],
  ['assignment', 'postgres'],
  ['naming', 'postgres'],
  ['extraction', 'temporal'],
  ['assignment', 'temporal'],
  ['naming', 'temporal'],
  ['merge', 'postgres'],
  ['split', 'postgres'],
  ['split', 'api'],
];

let stack: FaultStack;
let model: FakeModel;
/** Called once, when the model is asked at that point. */
let asked: { point: Point; kill: () => Promise<void> } | undefined;

beforeAll(async () => {
  stack = await startFaultStack({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  model = await startFakeModel(
    async ({ messages }) => {
      const isNaming = messages[0]?.content.startsWith('You name') === true;
      const due = asked?.point === (isNaming ? 'naming' : 'extraction') ? asked : undefined;
      if (due !== undefined) {
        asked = undefined;
        await due.kill();
      }
      const { conversation = [], quotes = [] } = JSON.parse(messages.at(-1)?.content.replace(/^Data:\n/, '') ?? '{}');
      if (isNaming) return { json: { name: `Named: ${quotes[0]}` } };
      const matters: string[] = conversation[0].customer.split('. ');
      const statements = matters.map((matter) => ({
        kind: 'problem',
        content: matter,
        quote: matter,
        message: 1,
        sentiment: 'angry',
      }));
      return { json: { statements } };
    },
    ['statements', 'names'],
  );
}, TEST_LIMIT_MS);
afterAll(async () => {
  await model.close();
  await stack.close();
});

async function newOrg(): Promise<FaultOrg> {
  const org = await stack.newOrg();
  const integration = { provider: 'openai-compatible', settings: model.settings };
  expect((await org.call('PUT', '/integrations/llm', integration)).status).toBe(200);
  return org;
}

/** Opens and resolves a session about some matters. A request whose answer is lost is sent again. */
async function resolveAbout(org: FaultOrg, matters: string[]): Promise<string> {
  const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
  const message = { type: 'text', text: matters.join('. ') };
  await org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message });
  await until(
    'the session is resolved',
    async () => (await org.call('PATCH', `/chat/sessions/${id}`, { status: 'closed_resolved' })).status === 200,
    WAIT_LIMIT_MS,
  );
  return id;
}

async function kill(program: Program): Promise<void> {
  await program.kill();
  await program.start();
}

/** Kills while something waits for the lock that every change of an org's insights needs. */
async function killInChange(org: FaultOrg, victim: Program, begin: () => Promise<unknown>): Promise<unknown> {
  let begun: Promise<unknown> | undefined;
  const holder = inTransaction(stack.db, async (trx) => {
    await lockInsights(trx, org.id);
    begun = begin();
    await until('the change waits', async () => {
      const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted`.execute(stack.db);
      return rows.length > 0;
    });
    await kill(victim);
  });
  await holder.catch(() => undefined); // its connection dies with Postgres
  return begun;
}

/** A matter that nobody has had before, in words that nobody has used. */
const newMatter = () => Array.from({ length: 3 }, () => randomBytes(8).toString('hex')).join(' ');

/** Kills a program once the work at a point has begun. `say` resolves a session, which may begin it. */
async function killAt(
  org: FaultOrg,
  [point, victim]: [Point, Victim],
  say: (...matters: string[]) => Promise<void>,
): Promise<void> {
  const program = stack[victim];
  if (point === 'extraction' || point === 'naming') {
    const killed = Promise.withResolvers<void>();
    asked = { point, kill: () => kill(program).then(killed.resolve, killed.reject) };
    const matter = newMatter(); // an insight is named at its second session
    for (const _ of [1, 2]) await say(matter);
    await until('the model is asked', async () => asked === undefined);
    await killed.promise;
  } else if (point === 'assignment') await killInChange(org, program, () => say(...MATTERS));
  else await killInChange(org, program, () => (point === 'merge' ? mergeTwo(org) : splitOne(org)));
}

const insightsOf = async (org: FaultOrg): Promise<{ id: string; occurrence_count: number }[]> =>
  (await org.post('/insights', {})).body.data;

/** Merges the smallest insight into the largest one, and undoes that. */
async function mergeTwo(org: FaultOrg): Promise<void> {
  const all = await insightsOf(org);
  const [into, from] = [all[0], all.at(-1)];
  const { status, body } = await org.post(`/insights/${into?.id}/merge`, { insight_ids: [from?.id] });
  expect([status, body.items?.length]).toEqual([200, 1]);
  const undo = `/insights/operations/${body.items[0].id}/undo`;
  expect((await org.post(undo, {})).status).toBe(200);
}

async function splitOne(org: FaultOrg): Promise<void> {
  const [largest] = await insightsOf(org);
  const { body } = await org.call('GET', `/insights/${largest?.id}/occurrences`);
  const split = await org.post(`/insights/${largest?.id}/split`, { occurrence_ids: [body.items[0].id] });
  expect(split).toMatchObject({ status: 200 });
}

/** Waits until everything was extracted, assigned and named. */
const untilDone = (org: FaultOrg, sessions: number) =>
  until(
    'all is extracted, assigned and named',
    async () => {
      const { rows } = await sql<{ extracted: number; left: number }>`
        select (select count(distinct session_id) from insight_extractions where org_id = ${org.id}) as extracted,
          (select count(*) from outbox where org_id = ${org.id})
            + (select count(*) from insight_statements where org_id = ${org.id} and insight_id is null)
            + (select count(*) from insights where org_id = ${org.id} and merged_into is null and occurrence_count >= 2 * named_at_count)
            as left
      `.execute(stack.db);
      return rows[0]?.extracted === sessions && rows[0].left === 0;
    },
    END_LIMIT_MS,
  );

/** What is kept of each session's customer, in order. */
async function quotesOf(org: FaultOrg): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ id: string; quotes: string[] }>`
    select session_id as id, array_agg(quote order by quote) as quotes from insight_statements where org_id = ${org.id} group by 1
  `.execute(stack.db);
  return new Map(rows.map(({ id, quotes }) => [id, quotes]));
}

it(
  'no occurrence is lost or counted twice when worker, Postgres, Temporal or the api are killed during extraction, assignment, naming, merge, undo and split',
  async () => {
    const org = await newOrg();
    const said = new Map<string, string[]>();
    const say = async (...matters: string[]) => void said.set(await resolveAbout(org, matters), matters.toSorted());
    for (const matter of MATTERS) for (const _ of [1, 2]) await say(matter);
    await untilDone(org, said.size);
    expect((await insightsOf(org)).map((one) => one.occurrence_count)).toEqual([2, 2, 2]);

    for (let nth = 0; nth < INSIGHT_KILLS; nth++) {
      const [point, victim] = KILLS[nth % KILLS.length] as (typeof KILLS)[number];
      await killAt(org, [point, victim], say);
    }

    await untilDone(org, said.size);
    expect(await quotesOf(org)).toEqual(said);
    expect(await differencesFromRecount(stack.db, org.id)).toEqual([]);
  },
  TEST_LIMIT_MS,
);
