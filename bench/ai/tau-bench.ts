import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import { sql } from 'kysely';
import { z } from 'zod';
import { forEachConcurrently } from '../../src/concurrency/limited.ts';
import type { Db } from '../../src/db/connect.ts';
import { type FakeModel, startFakeModel } from '../../test/support/fakes/model.ts';
import { type AiPrograms, type AnsweringOrg, startAiPrograms, WORKER_ENV } from '../support/ai-programs.ts';
import type { Program } from '../support/processes.ts';
import { type Finding, limitFinding, note, report } from '../support/report.ts';
import { type Stack, withStack } from '../support/stack.ts';

/** A clone of sierra-research/tau-bench. */
const FOLDER = process.env.TAU_BENCH_FOLDER;
const AT_ONCE = 6;
/** Which of the tasks are done, such as `0..42`, the last one not included. By default all, which takes a quarter of an hour. */
const [FIRST_TASK = 0, TASKS_END = Number.POSITIVE_INFINITY] = (process.env.TAU_BENCH_TASKS ?? '0')
  .split('..')
  .map(Number);
/** How long a worker works before it is killed. */
const KILL_AFTER_MS = 7_000;
/** Until then a started worker must poll its queue, also on a busy machine. */
const START_LIMIT_MS = 120_000;
const TURN_LIMIT_MS = 180_000;
const MAX_TURNS = 60;
const DOMAINS = ['retail', 'airline'] as const;
type Domain = (typeof DOMAINS)[number];

const Call = z.object({ name: z.string(), kwargs: z.record(z.string(), z.unknown()) });
type Call = z.infer<typeof Call>;
const Journal = z.array(
  z.object({
    task: z.string(),
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    result: z.string(),
    is_read: z.boolean(),
  }),
);
const Episodes = z.array(
  z.object({
    task_id: z.int(),
    trial: z.int(),
    traj: z.array(
      z.object({
        tool_calls: z.array(z.object({ function: z.object({ name: z.string(), arguments: z.string() }) })).nullish(),
      }),
    ),
  }),
);

interface Tools {
  url: string;
  get<Value>(path: string, schema: z.ZodType<Value>): Promise<Value>;
  stop(): void;
}

/** Starts the benchmark's own tools behind HTTP. */
async function startTools(folder: string): Promise<Tools> {
  const file = fileURLToPath(import.meta.resolve('../support/programs/tau-tools.py'));
  const child = spawn('python3', [file, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await createInterface(child.stdout)
    [Symbol.asyncIterator]()
    .next()
    .then(({ value }) => [value]);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    get: async (path, schema) => schema.parse(await (await fetch(url + path)).json()),
    stop: () => void child.kill(),
  };
}

/** A conversation in which the model makes these calls, in order. */
interface Case {
  domain: Domain;
  /** Whose data the tools change. */
  task: string;
  calls: Call[];
  sessionId: string;
  /** Whether a repeated call is made again and again, as recorded; else what was done is not called again. */
  repeats: boolean;
  asked: number;
  /** The calls that an agent had to look up. */
  settled: number;
}

const READS = /^(?:find|get|list|search|calculate|think)/;
const argumentsOf = ({ name, kwargs }: Call) => (READS.test(name) ? { query_params: kwargs } : { body_params: kwargs });

/** Returns the next call of a case: the first one that the ledger does not know, or the next one as recorded. */
async function nextCall(db: Db, one: Case): Promise<Call | undefined> {
  if (one.repeats) return one.calls[one.asked++];
  const known = await db
    .selectFrom('ai_calls')
    .select(['operation_id', 'arguments'])
    .where('session_id', '=', one.sessionId)
    .where('state', 'not in', ['expired', 'rejected', 'failed'])
    .execute();
  const made = new Set(known.map((call) => keyOf(call.operation_id, call.arguments)));
  return one.calls.find((call) => !made.has(keyOf(call.name, argumentsOf(call))));
}

const keyOf = (name: string, given: unknown): string => `${name} ${JSON.stringify(sorted(given))}`;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inside]) => [key, sorted(inside)]),
  );
}

async function newDomainOrg(
  programs: AiPrograms,
  tools: Tools,
  model: FakeModel,
  domain: Domain,
): Promise<AnsweringOrg> {
  const org = await programs.newOrg();
  const document = await (await fetch(`${tools.url}/${domain}/document`)).text();
  const form = new FormData();
  form.append('file', new Blob([document], { type: 'application/json' }), 'openapi.json');
  const { actions } = await org.call<{ actions: { id: string }[] }>('PUT', '/actions', form);
  for (const { id } of actions)
    await org.call('PATCH', `/actions/${id}`, { enabled_on_channel: { channels: ['api'] }, pinned: true });
  await org.call('PUT', '/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  await org.call('PATCH', '/autopilot', { channel: 'api', autopilot_enabled: true, ai_agent_version: 'v2' });
  await org.publish({ handoff_level: 0, max_steps: 20, max_calls: 20 });
  return org;
}

async function openCase(org: AnsweringOrg, start: Omit<Case, 'sessionId' | 'asked' | 'settled'>): Promise<Case> {
  const overrides = { headers: { 'x-task': start.task } };
  const contact = { email: `${start.task}@customers.example`, http_action_overrides: overrides };
  const { id: contact_id } = await org.call<{ id: string }>('POST', '/contacts', { contact });
  const { id: sessionId } = await org.call<{ id: string }>('POST', '/chat/sessions', {
    channel: { type: 'api' },
    contact_id,
  });
  return { ...start, sessionId, asked: 0, settled: 0 };
}

interface Turn {
  state: string;
  reason: string | null;
}

/** Says something, and waits for the end of the turn that answers it. */
async function say(db: Db, org: AnsweringOrg, sessionId: string, text: string): Promise<Turn> {
  await org.ask(sessionId, text);
  const giveUpAt = performance.now() + TURN_LIMIT_MS;
  while (performance.now() < giveUpAt) {
    const { rows } = await sql<Turn>`
      select state, reason from ai_turns
      where org_id = ${org.id} and session_id = ${sessionId} and ended_at is not null and state <> 'superseded' and (
        select id from session_events where org_id = ${org.id} and session_id = ${sessionId} and sender = 'contact'
        order by id desc limit 1
      ) = any(answers)
    `.execute(db);
    if (rows[0] !== undefined) return rows[0];
    await sleep(50);
  }
  throw new Error(`a turn of ${sessionId} did not end`);
}

interface UnknownCall {
  id: string;
  operation_id: string;
  arguments: { body_params?: unknown };
}

/**
 * Does what an agent does with a call that a kill has left unknown: looks whether it was made, says so, and returns the
 * session to the AI. Returns the number of such calls.
 */
async function settleUnknown(tools: Tools, org: AnsweringOrg, { domain, task, sessionId }: Case): Promise<number> {
  const path = `/autopilot/calls?state=unknown&session_id=${sessionId}`;
  const { items } = await org.call<{ items: UnknownCall[] }>('GET', path);
  const journal = await tools.get(`/${domain}/journal`, Journal);
  const made = new Set(
    journal.filter((entry) => entry.task === task).map(({ name, arguments: given }) => keyOf(name, given)),
  );
  for (const { id, operation_id, arguments: given } of items) {
    const outcome = made.has(keyOf(operation_id, given.body_params)) ? 'done' : 'not_done';
    await org.call('POST', `/autopilot/calls/${id}/settle`, { outcome, note: 'As the list of changes says.' });
  }
  await org.call('POST', `/chat/sessions/${sessionId}/return-to-ai`);
  return items.length;
}

/** Talks until all calls were made. Returns why it ended otherwise. */
async function play({ db, tools, orgs }: Setting, one: Case): Promise<string | undefined> {
  const org = orgs[one.domain];
  let isAsked = false;
  for (let turns = 0; turns < MAX_TURNS; turns++) {
    const text = isAsked ? 'yes' : `Go on with number ${turns} of case ${one.task}.`;
    const { state, reason } = await say(db, org, one.sessionId, text);
    isAsked = false;
    if (state === 'handed_off') {
      if (reason !== 'action_outcome_unknown') return `handed off: ${reason}`;
      one.settled += await settleUnknown(tools, org, one);
      continue;
    }
    isAsked = state === 'asked' && (await waitsForConfirmation(db, one.sessionId));
    if (isAsked) continue;
    const isOver = one.repeats ? one.asked > one.calls.length : (await nextCall(db, one)) === undefined;
    if (isOver) return undefined;
  }
  return 'it did not come to an end';
}

const waitsForConfirmation = async (db: Db, sessionId: string): Promise<boolean> =>
  (await db
    .selectFrom('ai_calls')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('state', '=', 'needs_confirmation')
    .executeTakeFirst()) !== undefined;

interface Setting {
  db: Db;
  tools: Tools;
  orgs: Record<Domain, AnsweringOrg>;
  cases: Map<string, Case>;
}

/** Plays tasks, and returns how many reached the benchmark's own end state. */
async function playGold(
  setting: Setting,
  tasks: { domain: Domain; number: number; calls: Call[] }[],
  prefix: string,
): Promise<{ reached: number; settled: number }> {
  const { tools, orgs, cases } = setting;
  let reached = 0;
  let settled = 0;
  await forEachConcurrently(tasks, AT_ONCE, async ({ domain, number, calls }) => {
    const task = `${prefix}-${domain}-${number}`;
    const one = await openCase(orgs[domain], { domain, task, calls, repeats: false });
    cases.set(task, one);
    const problem = await play(setting, one);
    settled += one.settled;
    const isGold = await tools.get(`/${domain}/gold?task=${task}&number=${number}`, z.boolean());
    if (isGold) reached++;
    else note(`${task} is not as it should be (${problem ?? 'all calls were made'})`);
  });
  return { reached, settled };
}

const finding = (name: string, value: string, target: string, isMet: boolean): Finding =>
  limitFinding(`tau-bench: ${name}`, { subject: value, target, isMet });

const reachedFinding = (name: string, reached: number, tasks: number): Finding =>
  finding(name, `${reached} of ${tasks}`, 'all', tasks > 0 && reached === tasks);

/** Waits until a worker takes tasks. One that is killed before that does nothing at all. */
async function untilWorking(temporal: Connection, { pid }: Program): Promise<void> {
  const giveUpAt = performance.now() + START_LIMIT_MS;
  while (performance.now() < giveUpAt) {
    const { pollers } = await temporal.workflowService.describeTaskQueue({
      namespace: 'default',
      taskQueue: { name: 'interactive' },
    });
    if (pollers.some(({ identity }) => identity?.startsWith(`${pid}@`))) return;
    await sleep(200);
  }
  throw new Error('a worker did not begin to work');
}

interface Kills {
  temporal: Connection;
  first: Program;
  start: () => Promise<Program>;
}

/** Kills the worker again and again while work is done. */
async function underKills<Value>({ temporal, first, start }: Kills, work: () => Promise<Value>) {
  let isOver = false;
  let kills = 0;
  const killing = (async () => {
    for (let worker = first; !isOver; worker = await start()) {
      await untilWorking(temporal, worker);
      await sleep(KILL_AFTER_MS);
      process.kill(worker.pid, 'SIGKILL');
      kills++;
    }
  })();
  const value = await work().finally(() => {
    isOver = true;
  });
  await killing;
  return { value, kills };
}

interface Repeats {
  calls: Call[];
  task: string;
}

/** Returns the recorded conversations in which the same change was asked for more than once. */
function repeatsIn(folder: string): Repeats[] {
  const path = join(folder, 'historical_trajectories', 'gpt-4o-airline.json');
  return Episodes.parse(JSON.parse(readFileSync(path, 'utf8'))).flatMap(({ task_id, trial, traj }) => {
    const calls = traj
      .flatMap(({ tool_calls }) => tool_calls ?? [])
      .map(({ function: { name, arguments: given } }) => ({ name, kwargs: JSON.parse(given) }))
      .filter(({ name }) => name !== 'transfer_to_human_agents');
    const changes = calls.filter(({ name }) => !READS.test(name)).map((call) => keyOf(call.name, call.kwargs));
    return new Set(changes).size < changes.length ? [{ calls, task: `episode-${task_id}-${trial}` }] : [];
  });
}

async function replay(setting: Setting, folder: string): Promise<Finding> {
  const { tools, orgs, cases } = setting;
  const episodes = repeatsIn(folder);
  await forEachConcurrently(episodes, AT_ONCE, async ({ task, calls }) => {
    const one = await openCase(orgs.airline, { domain: 'airline', task, calls, repeats: true });
    cases.set(task, one);
    const problem = await play(setting, one);
    if (problem !== undefined) throw new Error(`${task}: ${problem}`);
  });
  const journal = await tools.get('/airline/journal', Journal);
  const repeated = episodes.reduce((sum, { calls }) => {
    const changes = calls.filter(({ name }) => !READS.test(name)).map((call) => keyOf(call.name, call.kwargs));
    return sum + changes.length - new Set(changes).size;
  }, 0);
  const succeeded = new Set<string>();
  const again = journal.filter(({ task, name, arguments: given, result, is_read }) => {
    if (is_read || !task.startsWith('episode-')) return false;
    const key = `${task} ${keyOf(name, given)}`;
    if (succeeded.has(key)) return true;
    if (!result.startsWith('Error')) succeeded.add(key);
    return false;
  });
  note(
    `${episodes.length} recorded conversations ask for the same change again, ${repeated} times in all; ${succeeded.size} changes succeeded`,
  );
  return finding(
    'identical changes executed after a success',
    `${again.length}`,
    '0',
    again.length === 0 && repeated > 0,
  );
}

async function measure(stack: Stack, folder: string): Promise<Finding[]> {
  const { db } = stack;
  const tools = await startTools(folder);
  const bundles = mkdtempSync(join(tmpdir(), 'switchboard-bundle-'));
  const bundle = join(bundles, 'workflows.js');
  const cases = new Map<string, Case>();
  const model = await startFakeModel(async ({ isPlan, messages }) => {
    const said = messages.findLast(({ role, content }) => role === 'user' && content.includes('of case'))?.content;
    const one = cases.get(/of case ([\w-]+)\./.exec(said ?? '')?.[1] ?? '');
    if (!isPlan || one === undefined) return { json: { kind: 'nothing', language: 'en', covers: 'fully', parts: [] } };
    const call = await nextCall(db, one);
    if (call === undefined) return { json: { language: 'en', queries: ['anything else'] } };
    return { calls: [{ name: call.name, arguments: argumentsOf(call) }] };
  });
  try {
    const programs = await startAiPrograms(stack, db);
    const [retail, airline] = [
      await newDomainOrg(programs, tools, model, 'retail'),
      await newDomainOrg(programs, tools, model, 'airline'),
    ];
    const setting: Setting = { db, tools, orgs: { retail, airline }, cases };
    const tasks = [];
    for (const domain of DOMAINS)
      for (const [number, calls] of (await tools.get(`/${domain}/tasks`, z.array(z.array(Call)))).entries())
        tasks.push({
          domain,
          number,
          calls: calls.filter(({ name }) => name !== 'transfer_to_human_agents' && name !== 'respond'),
        });
    const chosen = tasks.slice(FIRST_TASK, TASKS_END);
    const begun = performance.now();
    const { reached } = await playGold(setting, chosen, 'task');
    note(
      `${chosen.length} of ${tasks.length} tasks, with ${chosen.reduce((sum, { calls }) => sum + calls.length, 0)} calls took ${((performance.now() - begun) / 1_000).toFixed(0)} s`,
    );
    const replayed = await replay(setting, folder);
    execFileSync(process.execPath, [fileURLToPath(import.meta.resolve('../../worker/bundler.ts')), bundle]);
    const env = { ...WORKER_ENV, WORKFLOW_BUNDLE: bundle };
    const start = () => stack.start('worker', env);
    const temporal = await Connection.connect({ address: stack.env.TEMPORAL_ADDRESS ?? '' });
    const { value, kills } = await underKills({ temporal, first: programs.worker, start }, () =>
      playGold(setting, chosen, 'killed'),
    );
    await temporal.close();
    note(`the worker was killed ${kills} times; an agent settled ${value.settled} calls whose outcome nobody had seen`);
    return [
      reachedFinding('tasks whose gold database is reached', reached, chosen.length),
      reachedFinding('the same while the worker is killed', value.reached, chosen.length),
      replayed,
    ];
  } finally {
    tools.stop();
    await model.close();
    rmSync(bundles, { recursive: true });
  }
}

await report(async () => {
  if (FOLDER === undefined) {
    note('tau-bench was not measured: TAU_BENCH_FOLDER is not set to a clone of sierra-research/tau-bench');
    return [];
  }
  return withStack({ hasTemporal: true }, (stack) => measure(stack, FOLDER));
});
