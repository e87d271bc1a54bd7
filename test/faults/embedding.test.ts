import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { commandOf, identityOf, parentOf } from '../../src/dev/processes.ts';
import { MODEL } from '../../src/embedder/model-folder.ts';
import { startFakeEmbeddings } from '../support/fakes/embeddings.ts';
import { modelFiles } from '../support/model.ts';
import type { FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import type { Program } from './support/programs.ts';
import { TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

/** Help centers whose articles are one knowledge here: more passages than one batch of an embedding. */
const CENTERS = ['hotel', 'saas', 'shop', 'clinic'];
/** Programs that start beside other tests take their time. */
const END_LIMIT_MS = 180_000;
/** How the command of the model's process ends for questions and for passages. */
const NICENESS = { question: ' 0', passages: ' 10' };
const QUESTION = 'Wann gibt es Frühstück?';

let stack: FaultStack;
let org: FaultOrg;
let passages: number;
beforeAll(async () => {
  await modelFiles();
  stack = await startFaultStack({ env: { EMBEDDING_MODEL: MODEL, EGRESS_ALLOW: '127.0.0.1' } });
  org = await stack.newOrg();
}, TEST_LIMIT_MS);
afterAll(() => stack.close());

const readCenter = (slug: string) => {
  const { name, articles } = JSON.parse(
    readFileSync(new URL(`../../bench/ai/centers/${slug}.json`, import.meta.url), 'utf8'),
  );
  return { name, slug, articles };
};

/** Kills a worker alone, as when it runs out of memory, and starts it again once its model has ended by itself. */
async function killAlone(program: Program): Promise<void> {
  const models = modelsOf(program, '');
  process.kill(program.pid(), 'SIGKILL');
  await until('the model has ended with its worker', async () => models.every((pid) => identityOf(pid) === undefined));
  await until('the worker has ended', async () => !program.isRunning());
  await program.start();
}

const modelsOf = (program: Program, ending: string): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && parentOf(pid) === program.pid())
    .filter((pid) => {
      const command = commandOf(pid) ?? '';
      return command.includes('embedder/process.ts') && command.endsWith(ending);
    });

/** Kills the process of a worker's model once it runs. */
async function killModel(program: Program, kind: keyof typeof NICENESS): Promise<void> {
  let pids: number[] = [];
  await until('the model runs', async () => {
    pids = modelsOf(program, NICENESS[kind]);
    return pids.length > 0;
  });
  for (const pid of pids) process.kill(pid, 'SIGKILL');
}

/** The passages that have a vector of a model. */
async function embedded(model: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from knowledge_embeddings where org_id = ${org.id} and model = ${model}
  `.execute(stack.db);
  return rows[0]?.count ?? 0;
}

/** How a question is compared with all passages that it finds: each by words alone, or each by the vectors of one model. */
async function comparisonNow(): Promise<string> {
  for (;;) {
    const model = await answeringModel();
    const { body } = await org.call('POST', '/training/search', { query: QUESTION, explain: true, limit: 20 });
    if (model !== (await answeringModel())) continue; // it changed meanwhile
    const parts: { score_parts: { similarity: number | null } }[] = body.results;
    const withVectors = parts.filter(({ score_parts }) => score_parts.similarity !== null).length;
    if (withVectors === 0) return 'words';
    return withVectors === parts.length ? `${model}` : `${withVectors} of ${parts.length} have a vector`;
  }
}

const answeringModel = async () => (await org.call('GET', '/integrations/llm')).body.embedding.answering;

/** Searches again and again until the work ends. Returns each way of comparing in the order in which they were seen. */
async function comparisonsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const now = await comparisonNow();
    if (seen.at(-1) !== now) seen.push(now);
    await sleep(20);
  }
  await working;
  return seen;
}

/** Whether questions are compared by a model, and nothing of the embedding is left to do. */
const answersBy = (model: string) =>
  until(
    `questions are compared by ${model}`,
    async () => {
      const { rows } = await sql`select from due_work where org_id = ${org.id} and kind = 'embedding'`.execute(
        stack.db,
      );
      return rows.length === 0 && (await comparisonNow()) === model;
    },
    END_LIMIT_MS,
  );

const calibration = async () => (await org.call('GET', '/autopilot/calibration')).body;

const isMeasured = async () => {
  const { requested_at, measured_at, report } = await calibration();
  return report?.with_vectors === true && measured_at >= requested_at;
};

it(
  'a first embedding continues where it was when worker and model are killed, and questions are compared by words until it ends',
  async () => {
    const seen = await comparisonsDuring(async () => {
      await org.call('PUT', '/help-center/content', { categories: CENTERS.map(readCenter) });
      await org.call('PATCH', '/autopilot', { channel: 'api', autopilot_enabled: true });
      await killModel(stack.worker, 'passages');
      await until('some passages have a vector', async () => (await embedded(MODEL)) > 0, END_LIMIT_MS);
      const before = await embedded(MODEL);
      await killAlone(stack.worker);
      passages = (
        await sql<{ count: number }>`
        select count(*)::int as count from knowledge_chunks where org_id = ${org.id}
      `.execute(stack.db)
      ).rows[0]?.count as number;
      expect(before).toBeLessThan(passages);
      expect(await embedded(MODEL)).toBeGreaterThanOrEqual(before);
      await answersBy(MODEL);
    });
    expect(seen).toEqual(['words', MODEL]);
    expect(await embedded(MODEL)).toBe(passages);
  },
  TEST_LIMIT_MS,
);

it(
  'a calibration measures the same when worker and model are killed during it, and the one before counts until it ends',
  async () => {
    await until('the answers are calibrated with vectors', isMeasured, END_LIMIT_MS);
    const before = await calibration();
    for (const kill of [() => killModel(stack.worker, 'question'), () => killAlone(stack.worker)]) {
      await org.call('POST', '/autopilot/calibration/run');
      await sleep(1_000);
      const during = await calibration();
      expect(during).toEqual({ ...before, requested_at: during.requested_at, measured_at: during.measured_at });
      await kill();
      expect(await isMeasured()).toBe(false);
      await until('the answers are calibrated again', isMeasured, END_LIMIT_MS);
      expect((await calibration()).report).toEqual(before.report);
    }
  },
  TEST_LIMIT_MS,
);

it(
  'a change of model continues where it was when worker and model are killed, and questions are compared by the former until it ends',
  async () => {
    const fake = await startFakeEmbeddings();
    try {
      const held = Promise.withResolvers<void>();
      fake.holdUntil(held.promise);
      const there = await comparisonsDuring(async () => {
        await org.call('PUT', '/integrations/llm', { provider: 'openai-compatible', settings: fake.settings });
        await until('the other model is asked', async () => fake.held().length > 0, END_LIMIT_MS);
        await killAlone(stack.worker);
        held.resolve();
        await answersBy('small');
      });
      expect(there).toEqual([MODEL, 'small']);
      expect(await embedded('small')).toBe(passages);
      expect(await embedded(MODEL)).toBe(0);

      const back = await comparisonsDuring(async () => {
        await org.call('DELETE', '/integrations/llm');
        await killModel(stack.worker, 'passages');
        await until('some passages have a vector', async () => (await embedded(MODEL)) > 0, END_LIMIT_MS);
        await killAlone(stack.worker);
        await answersBy(MODEL);
      });
      expect(back.filter((one) => one !== 'small')).toEqual(['words', MODEL]);
      expect(await embedded(MODEL)).toBe(passages);
    } finally {
      await fake.close();
    }
  },
  TEST_LIMIT_MS,
);
