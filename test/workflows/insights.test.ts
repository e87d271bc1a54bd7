import { ApplicationFailure } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { findTestServer } from '../../src/dev/temporal-programs.ts';
import { EXTRACT_INSIGHTS } from '../../src/insights/extraction/contract.ts';
import { EMBED_KNOWLEDGE, type EmbeddingInput } from '../../src/knowledge/embedding/contract.ts';
import { EMBEDDING, WAKE } from '../../src/temporal/contract.ts';
import { testWorkflowBundle } from '../support/stack/servers.ts';
import { installRuntime } from '../support/stack/temporal-runtime.ts';

const HOUR = 3_600_000;
const QUEUE = EMBEDDING;

let environment: TestWorkflowEnvironment;
beforeAll(async () => {
  installRuntime();
  const path = await findTestServer();
  environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
});
afterAll(() => environment.teardown());

/** Runs a workflow to its end, with these activities. */
async function run<Input>(
  { type, workflowId }: { type: string; workflowId: (input: Input) => string },
  input: Input,
  activities: object,
  during: (wake: () => Promise<void>) => Promise<void> = async () => undefined,
): Promise<void> {
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue: QUEUE,
    workflowBundle: testWorkflowBundle(),
    activities,
  });
  await worker.runUntil(async () => {
    const options = { workflowId: workflowId(input), taskQueue: QUEUE, args: [input] };
    const handle = await environment.client.workflow.start(type, options);
    await during(() => handle.signal(WAKE));
    await handle.result();
  });
}

/** Activities of an extraction whose provider refuses some times. `asked` gets the times when it was asked. */
const refusing = (times: number, asked: number[]) => ({
  extractStatements: async () => ({ madeBy: 'test', statements: 1 }),
  embedStatements: async () => {
    asked.push(await environment.currentTimeMs());
    if (asked.length <= times) throw ApplicationFailure.nonRetryable('wrong key', 'ProviderRefused');
  },
  assignStatements: async () => ({ aligned: true, created: 1, occurrences: 1 }),
  nameInsights: async () => 0,
});
const hoursBetween = (asked: number[]) =>
  asked.slice(1).map((at, nth) => Math.round((10 * (at - (asked[nth] ?? 0))) / HOUR) / 10);

it('an extraction asks a provider that refuses ever less often, and goes on once it does not', async () => {
  const asked: number[] = [];
  await run(EXTRACT_INSIGHTS, { orgId: 'org', sessionId: 'session', number: 1 }, refusing(6, asked));
  expect(hoursBetween(asked)).toEqual([1, 2, 4, 6, 6, 6]);
});

it('an extraction asks at once when it is woken, and then as if it had never waited', async () => {
  const asked: number[] = [];
  await run(EXTRACT_INSIGHTS, { orgId: 'org', sessionId: 'session', number: 2 }, refusing(4, asked), async (wake) => {
    await environment.sleep('210 minutes');
    await wake();
  });
  expect(hoursBetween(asked)).toEqual([1, 2, 0.5, 1]);
});

it('the embedding of an org goes on where its last execution ended, and ends', async () => {
  const asked: EmbeddingInput[] = [];
  await run(
    EMBED_KNOWLEDGE,
    { orgId: 'org' },
    {
      embedChunks: async (input: EmbeddingInput & { after: number }) => {
        asked.push(input);
        if (asked.length > 300) throw ApplicationFailure.nonRetryable('begun again');
        return { after: input.after < 250 ? input.after + 1 : null, size: 8 };
      },
    },
  );
  expect(asked.map(({ after }) => after)).toEqual(Array.from({ length: 251 }, (_, nth) => nth));
  expect(asked.at(-1)?.size).toBe(8);
});
