import { TestWorkflowEnvironment } from '@temporalio/testing';
import { type ActivityInterceptorsFactory, Worker } from '@temporalio/worker';
import { sql } from 'kysely';
import { createSequenceActivities } from '../../../activities/sequences.ts';
import { createSlaActivities } from '../../../activities/sla.ts';
import { connect, type Db } from '../../../src/db/connect.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import type { MessageSenders } from '../../../src/deliveries/sending/message-sender.ts';
import { findTestServer } from '../../../src/dev/temporal-programs.ts';
import type { ClaimedEvent } from '../../../src/outbox/claim.ts';
import { RUN_SEQUENCE, type SendTotals } from '../../../src/sequences/contract.ts';
import { wakeClocksOfActiveSessions } from '../../../src/sla/clocks/waking.service.ts';
import { type SlaRef, WATCH_SLA } from '../../../src/sla/contract.ts';
import { WAKE } from '../../../src/temporal/contract.ts';
import { createTestDatabase, testWorkflowBundle } from './servers.ts';
import { installRuntime } from './temporal-runtime.ts';

const SEARCH_PATH = 'testclock, pg_catalog, public';

export type TimeSkippingStack = Awaited<ReturnType<typeof startTimeSkippingStack>>;

/**
 * A database and a Temporal server whose clocks go together, while the server skips the time in which workflows sleep.
 * The database's own `now()` is hidden behind another of the same name: what is tested knows of no clock. Close it
 * after use.
 */
export async function startTimeSkippingStack() {
  installRuntime();
  const path = await findTestServer();
  const executable = { type: 'existing-path', path } as const;
  const environment = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
  const database = await createTestDatabase();
  await hideClock(database.url);
  const url = new URL(database.url);
  url.searchParams.set('options', `-c search_path=${SEARCH_PATH.replaceAll(' ', '')}`);
  const { db, close } = connect(url.href, { poolSize: 10 });
  let lagMs = 0;

  /** Puts the database's clock where the server's stands. */
  const keepPace = async () => {
    const aheadMs = (await environment.currentTimeMs()) + lagMs - Date.now();
    await sql`update testclock.clock set ahead_ms = ${aheadMs}`.execute(db);
  };
  const paced = (look: (batch: number) => Promise<void>): ActivityInterceptorsFactory => {
    let batches = 0;
    return () => ({
      inbound: {
        async execute(input, next) {
          await keepPace();
          await look(++batches);
          return next(input);
        },
      },
    });
  };

  return {
    db,
    /** Has the database think that it is now this time; it goes on from there. */
    async setClock(to: Date) {
      lagMs = to.getTime() - (await environment.currentTimeMs());
      await keepPace();
    },
    /**
     * Runs the workflow of a sequence to its end, however long that takes. `look` is called before each batch, while
     * the clocks wait.
     */
    async runSequence(
      orgId: string,
      sequenceId: string,
      senders: MessageSenders,
      look: (batch: number) => Promise<void> = async () => undefined,
    ): Promise<SendTotals> {
      const worker = await Worker.create({
        connection: environment.nativeConnection,
        taskQueue: RUN_SEQUENCE.taskQueue,
        workflowBundle: testWorkflowBundle(),
        activities: createSequenceActivities({
          db,
          senders,
          channelDefaults: { hasMailServer: true, isDevelopment: true },
          stopping: new AbortController().signal,
        }),
        interceptors: { activity: [paced(look)] },
      });
      const input = { orgId, sequenceId };
      return worker.runUntil(() =>
        environment.client.workflow.execute(RUN_SEQUENCE.type, {
          workflowId: RUN_SEQUENCE.workflowId(input),
          taskQueue: RUN_SEQUENCE.taskQueue,
          args: [input],
        }),
      );
    },
    /**
     * Runs the workflows of sessions' clocks for as long as `work` takes. `sleep` skips time in both clocks; `wake`
     * hands on what the outbox holds for them, as the relay would.
     */
    async watchClocks<T>(
      work: (time: { sleep: (ms: number) => Promise<void>; wake: () => Promise<void> }) => Promise<T>,
    ): Promise<T> {
      const worker = await Worker.create({
        connection: environment.nativeConnection,
        taskQueue: WATCH_SLA.taskQueue,
        workflowBundle: testWorkflowBundle(),
        activities: createSlaActivities({ db, stopping: new AbortController().signal }),
        interceptors: { activity: [paced(async () => undefined)] },
      });
      const sleep = async (ms: number) => {
        await environment.sleep(ms);
        await keepPace();
      };
      const wake = async () => {
        await expandActivity(db);
        const waiting = await db.deleteFrom('outbox').where('kind', '=', 'signal').returning('payload').execute();
        for (const { payload } of waiting) {
          await environment.client.workflow.signalWithStart(WATCH_SLA.type, {
            workflowId: WATCH_SLA.workflowId(payload as unknown as SlaRef),
            taskQueue: WATCH_SLA.taskQueue,
            args: [payload],
            signal: WAKE,
          });
        }
      };
      return worker.runUntil(() => work({ sleep, wake }));
    },
    async close() {
      await close();
      await Promise.all([environment.teardown(), database.drop()]);
    },
  };
}

/** Calls the reaction to activity in sessions, as the relay does. */
async function expandActivity(db: Db): Promise<void> {
  const active = await db
    .deleteFrom('outbox')
    .where('type', '=', 'session-activity')
    .returning(['id', 'org_id', 'type', 'subject_id', 'payload', 'depth', 'created_at'])
    .$castTo<ClaimedEvent<'session-activity'>>()
    .execute();
  for (const [orgId, events] of Map.groupBy(active, ({ org_id }) => org_id))
    await inTransaction(db, (trx) => wakeClocksOfActiveSessions(trx, orgId, events));
}

/** Defaults of columns have found their function when they were made: they are made anew. */
async function hideClock(url: string): Promise<void> {
  const { db, close } = connect(url, { poolSize: 1 });
  try {
    await sql`
      create schema testclock;
      create table testclock.clock (ahead_ms float8 not null);
      insert into testclock.clock values (0);
      create function testclock.now() returns timestamptz language sql stable as
        'select pg_catalog.now() + ahead_ms * interval ''1 millisecond'' from testclock.clock';
    `.execute(db);
    for (const { table_name, column_name } of await listTimedColumns(db)) {
      const [table, column] = [sql.table(table_name), sql.ref(column_name)];
      await sql`alter table ${table} alter column ${column} set default testclock.now()`.execute(db);
    }
  } finally {
    await close();
  }
}

async function listTimedColumns(db: Db) {
  const { rows } = await sql<{ table_name: string; column_name: string }>`
    select table_name, column_name from information_schema.columns where table_schema = 'public' and column_default = 'now()'
  `.execute(db);
  return rows;
}
