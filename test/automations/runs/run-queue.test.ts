import { sql } from 'kysely';
import { startInWorkflows } from '../../../src/automations/runs/run-queue.service.ts';
import { startRuns } from '../../../src/automations/runs/start-runs.service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { activate } from '../../support/triggers.ts';

/** No worker runs here: what was started stays in progress. */
let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await api.createOrg();
});

const note = {
  $kind: 'Action',
  id: 'note',
  type: 'add-note',
  name: 'Note',
  input: { session_id: newId(), text: 'Hi' },
};
const ask = { $kind: 'Action', id: 'ask', type: 'ask-ai', name: 'Ask', input: { prompt: 'How angry?' } };
const webhookWorkflow = async (step: object): Promise<string> =>
  (await activate(org, { trigger_type: 'webhook', workflow_blocks: [step] })).id;

/** Queues a run of a workflow, and starts queued runs in workflows, in one transaction. */
const startOne = (only: string) =>
  inTransaction(api.db, async (trx) => {
    await startRuns(trx, org.id, 'webhook', {
      triggerEvents: [{ key: newId(), occurredAt: new Date(), depth: 0, output: {} }],
      cause: 'automatic',
      only,
    });
    await startInWorkflows(trx, org.id);
  });
const startInTurn = async (only: string, count: number) => {
  for (let n = 0; n < count; n++) await startOne(only);
};

interface Group {
  status: string;
  batch: string | null;
  runs: number;
}

/** Returns how many runs are in which status and batch, in the order of their first ones. */
async function groups(): Promise<Group[]> {
  const { rows } = await sql<Group>`
    select status, batch_id as batch, count(*) as runs from automation_runs where org_id = ${org.id}
    group by status, batch_id order by min(created_at)
  `.execute(api.db);
  return rows;
}

it('short runs begin one by one up to a limit, and with a backlog the queued ones are one batch', async () => {
  const id = await webhookWorkflow(note);
  await startInTurn(id, 100);
  expect(await groups()).toEqual([
    { status: 'in_progress', batch: null, runs: 40 },
    { status: 'idle', batch: null, runs: 60 },
  ]);
  await startInTurn(id, 2);
  expect(await groups()).toEqual([
    { status: 'in_progress', batch: null, runs: 40 },
    { status: 'in_progress', batch: expect.any(String), runs: 61 },
    { status: 'idle', batch: null, runs: 1 },
  ]);
});

it('runs that arrive at the same time begin no second batch beside a large one', async () => {
  const id = await webhookWorkflow(note);
  await startInTurn(id, 40);
  await Promise.all(Array.from({ length: 200 }, () => startOne(id)));
  const [own, batch, queued, ...others] = await groups();
  expect(others).toEqual([]);
  expect(own).toEqual({ status: 'in_progress', batch: null, runs: 40 });
  expect(batch).toMatchObject({ status: 'in_progress', batch: expect.any(String) });
  expect(queued).toEqual({ status: 'idle', batch: null, runs: 200 - Number(batch?.runs) });
});

it('runs that take long begin one by one up to a higher limit, and never in a batch', async () => {
  const id = await webhookWorkflow(ask);
  await startInTurn(id, 120);
  expect(await groups()).toEqual([
    { status: 'in_progress', batch: null, runs: 100 },
    { status: 'idle', batch: null, runs: 20 },
  ]);
});
