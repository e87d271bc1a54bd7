import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { forEachConcurrently } from '../../src/concurrency/limited.ts';
import type { Db } from '../../src/db/connect.ts';
import { type AiPrograms, type AnsweringOrg, startAiPrograms } from '../support/ai-programs.ts';
import { createRandom, createWriter } from '../support/generated-texts.ts';
import type { Program } from '../support/processes.ts';
import { type Finding, limitFinding, median, note, percentile, rateFinding, report } from '../support/report.ts';
import { withStack } from '../support/stack.ts';

const ARTICLES = 300;
const TURNS_PER_SECOND = 5;
const TIMED_TURNS = 150;
const WARM_UP_TURNS = 50;
const QUIET_SECONDS = 1.5;
const MAX_MEDIAN_MS = 150;
const MAX_P95_MS = 500;
const TURNS_PER_ROUND = 150;
const ROUNDS = 3;
const AT_ONCE = 20;
const MIN_SHARE = 0.25;
const EDGE_TURNS = 50;
/** Without reservations, all calls would begin while some of it is left, and spend more. */
const EDGE_TOKENS = 5_000;
const LONGEST_WAIT_MS = 120_000;

const writer = createWriter(createRandom(11));

/** Creates an org with a help center, and questions about its articles. */
async function newShop(programs: AiPrograms): Promise<{ org: AnsweringOrg; questions: string[] }> {
  const org = await programs.newOrg();
  const articles = Array.from({ length: ARTICLES }, (_, nth) => ({
    title: writer.title(),
    slug: `article-${nth}`,
    content_markdown: writer.article(),
  }));
  await org.call('PUT', '/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles }] });
  await org.call('PATCH', '/autopilot', { channel: 'api', autopilot_enabled: true });
  await untilCalibrated(org);
  return { org, questions: articles.map(({ title, content_markdown }) => questionOf(title, content_markdown)) };
}

/** The calibration asks hundreds of questions. It would be measured with the first turns. */
async function untilCalibrated(org: AnsweringOrg): Promise<void> {
  await org.call('POST', '/autopilot/calibration/run');
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const { requested_at, measured_at } = await org.call<Record<'requested_at' | 'measured_at', string | null>>(
      'GET',
      '/autopilot/calibration',
    );
    if (measured_at !== null && requested_at !== null && measured_at >= requested_at) return;
    if (performance.now() > giveUpAt) throw new Error('the calibration did not end');
    await sleep(200);
  }
}

/** Returns words of an article as a question. */
const questionOf = (title: string, article: string): string =>
  `How is it with ${title}, ${article.split(/\s+/).slice(6, 14).join(' ')}?`;

const openSessions = async (org: AnsweringOrg, count: number): Promise<string[]> => {
  const ids: string[] = [];
  await forEachConcurrently(Array.from({ length: count }), AT_ONCE, async () => {
    ids.push(await org.openSession());
  });
  return ids;
};

const questionAt = (questions: string[], nth: number): string => questions[nth % questions.length] ?? '';

/** Asks at the rate, each question in a session of its own. Returns the milliseconds from due to ended, of each turn. */
async function timesOfTurns(db: Db, { org, questions }: { org: AnsweringOrg; questions: string[] }, count: number) {
  const sessions = await openSessions(org, count);
  const begun = performance.now();
  const asked: Promise<void>[] = [];
  for (const [nth, id] of sessions.entries()) {
    await sleep(Math.max(0, begun + (nth * 1_000) / TURNS_PER_SECOND - performance.now()));
    asked.push(org.ask(id, questionAt(questions, nth)));
  }
  await Promise.all(asked);
  await untilEnded(db, org, sessions);
  const { rows } = await sql<{ ms: number; agent: string }>`
    select agent, extract(epoch from ended_at - due_at)::float8 * 1000 as ms from ai_turns where session_id = any(${sessions}::uuid[])
  `.execute(db);
  return rows;
}

async function untilEnded(db: Db, { id }: AnsweringOrg, sessions: string[]): Promise<void> {
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  while ((await countEnded(db, id, sessions)) < sessions.length) {
    if (performance.now() > giveUpAt) throw new Error('some turns did not end');
    await sleep(50);
  }
}

/** With the org, so that an index serves it: it is asked beside what is measured. */
async function countEnded(db: Db, orgId: string, sessions: string[]): Promise<number> {
  const { rows } = await sql<{ ended: number }>`
    select count(*)::int as ended from ai_turns
    where org_id = ${orgId} and session_id = any(${sessions}::uuid[]) and ended_at is not null and has_message
  `.execute(db);
  return rows[0]?.ended ?? 0;
}

async function countAnsweredBy(db: Db, sessions: string[], agent: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ai_turns where session_id = any(${sessions}::uuid[]) and agent = ${agent}
  `.execute(db);
  return rows[0]?.count ?? 0;
}

const latencyFinding = (name: string, ms: number, mostMs: number): Finding =>
  limitFinding(name, { subject: `${ms.toFixed(0)} ms`, target: `≤ ${mostMs} ms`, isMet: ms <= mostMs });

async function measureLatency(db: Db, programs: AiPrograms, model: Program): Promise<Finding[]> {
  const shop = await newShop(programs);
  await shop.org.publish({ quiet_seconds: { api: QUIET_SECONDS }, cap_seconds: { api: 10 } });
  await timesOfTurns(db, shop, WARM_UP_TURNS);
  const byQuotes = (await timesOfTurns(db, shop, TIMED_TURNS)).map(({ ms }) => ms);
  note(
    `without a model: p50 ${median(byQuotes).toFixed(0)} ms, p95 ${percentile(byQuotes, 95).toFixed(0)} ms after the quiet time`,
  );
  await connectModel(shop.org, model);
  await timesOfTurns(db, shop, WARM_UP_TURNS);
  const timed = await timesOfTurns(db, shop, TIMED_TURNS);
  const strangers = timed.filter(({ agent }) => agent !== 'helpful').length;
  if (strangers > 0) throw new Error(`${strangers} turns were not answered by the model`);
  const times = timed.map(({ ms }) => ms);
  note(`with a model: from ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} ms`);
  await assertUsage(shop.org, model);
  return [
    latencyFinding(
      `ai: due to stored answer at ${TURNS_PER_SECOND}/s, a model without cost, median`,
      median(times),
      MAX_MEDIAN_MS,
    ),
    latencyFinding('ai: the same, p95', percentile(times, 95), MAX_P95_MS),
  ];
}

async function connectModel(org: AnsweringOrg, model: Program): Promise<void> {
  const settings = await model.ask<object>('settings');
  await org.call('PUT', '/integrations/llm', { provider: 'openai-compatible', settings });
}

interface Sums {
  calls: number;
  input: number;
  output: number;
}

async function usageOf(org: AnsweringOrg): Promise<Sums> {
  const { items } = await org.call<{ items: Sums[] }>('GET', '/autopilot/usage');
  const sumOf = (name: keyof Sums) => items.reduce((sum, item) => sum + item[name], 0);
  return { calls: sumOf('calls'), input: sumOf('input'), output: sumOf('output') };
}

let counted: Sums = { calls: 0, input: 0, output: 0 };

/**
 * Compares the org's usage with what the model has counted since the last time. Handoffs ask it for summaries too, after
 * the turns have ended: the two are equal once nothing is asked any more.
 */
async function assertUsage(org: AnsweringOrg, model: Program): Promise<Sums> {
  const giveUpAt = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const usage = await usageOf(org);
    const journal = await model.ask<Sums>('journal');
    const since = {
      calls: journal.calls - counted.calls,
      input: journal.input - counted.input,
      output: journal.output - counted.output,
    };
    if (JSON.stringify(usage) === JSON.stringify(since)) {
      counted = journal;
      note(`usage equals the model's journal: ${JSON.stringify(usage)}`);
      return usage;
    }
    if (performance.now() > giveUpAt)
      throw new Error(`the usage is ${JSON.stringify(usage)}, and the model has counted ${JSON.stringify(since)}`);
    await sleep(200);
  }
}

/** Asks many questions at once where a day's budget is nearly used up. */
async function measureBudget(db: Db, programs: AiPrograms, model: Program): Promise<Finding> {
  const { org, questions } = await newShop(programs);
  await connectModel(org, model);
  await org.publish({ budgets: { day: { tokens: EDGE_TOKENS } }, on_budget: 'extractive' });
  const sessions = await openSessions(org, EDGE_TURNS);
  await Promise.all(sessions.map((id, nth) => org.ask(id, questionAt(questions, nth))));
  await untilEnded(db, org, sessions);
  const { input, output } = await assertUsage(org, model);
  const answered = await countAnsweredBy(db, sessions, 'helpful');
  note(`${EDGE_TURNS} turns at once: ${answered} were answered by the model`);
  if (answered === 0 || answered === EDGE_TURNS) throw new Error('the budget was not at its edge');
  return limitFinding(`ai: ${EDGE_TURNS} turns at once at the edge of a budget, tokens`, {
    subject: `${input + output}`,
    target: `≤ ${EDGE_TOKENS}`,
    isMet: input + output <= EDGE_TOKENS,
  });
}

/**
 * Alternates with a bare loop of the same search and inserts. At this level nothing is handed off: what follows a handoff
 * is no part of the loop.
 */
async function measureThroughput(db: Db, programs: AiPrograms, bare: Program): Promise<Finding> {
  const { org, questions } = await newShop(programs);
  await org.publish({ handoff_level: 0 });
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const [asked, compared] = [await openSessions(org, TURNS_PER_ROUND), await openSessions(org, TURNS_PER_ROUND)];
    const begun = performance.now();
    await forEachConcurrently([...asked.entries()], AT_ONCE, ([nth, id]) => org.ask(id, questionAt(questions, nth)));
    await untilEnded(db, org, asked);
    const rate = (TURNS_PER_ROUND / (performance.now() - begun)) * 1_000;
    const begunBare = performance.now();
    const all = compared.map((sessionId, nth) => ({ sessionId, question: questionAt(questions, nth) }));
    await bare.ask('answerAll', { orgId: org.id, questions: all, atOnce: AT_ONCE });
    const bareRate = (TURNS_PER_ROUND / (performance.now() - begunBare)) * 1_000;
    if (round === 0) continue; // warm-up
    ours.push(rate);
    theirs.push(bareRate);
    note(`round ${round}: ${rate.toFixed(0)} turns a second, bare ${bareRate.toFixed(0)}`);
  }
  return rateFinding('ai: turns, request to end / a bare loop of search and inserts', ours, theirs, MIN_SHARE);
}

await report(() =>
  withStack({ hasTemporal: true }, async (stack) => {
    const { db } = stack;
    const programs = await startAiPrograms(stack, db);
    const model = await stack.start(import.meta.resolve('../support/programs/quoting-model.ts'));
    const bare = await stack.start(import.meta.resolve('../support/baselines/bare-turns.ts'));
    return [
      ...(await measureLatency(db, programs, model)),
      await measureBudget(db, programs, model),
      await measureThroughput(db, programs, bare),
    ];
  }),
);
