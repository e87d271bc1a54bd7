import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { sql } from 'kysely';
import { pino } from 'pino';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { commandSender, type HeadingSource } from '../../src/outbox/dispatching.ts';
import { type InlineWork, inlineWorkOf } from '../../src/outbox/inline-work.ts';
import { enqueue, signalWithStart, start } from '../../src/outbox/outbox.ts';
import type { Reactions } from '../../src/outbox/reactions.ts';
import { startRelay } from '../../src/outbox/relay.ts';
import { currentIds } from '../../src/processes/current-work.ts';
import { connectTemporal, type TemporalClient } from '../../src/temporal/client.ts';
import type { TaskQueue, WorkflowContract } from '../../src/temporal/contract.ts';
import { hasSchedule, putSchedule } from '../../src/temporal/schedules.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { temporalAddress, testNamespace } from '../support/stack/servers.ts';
import { eventually } from '../support/stack/stack.ts';
import { installRuntime } from '../support/stack/temporal-runtime.ts';

/** No worker polls its queue, so commands in Temporal stay there to be inspected. */
const LOOK: WorkflowContract<{ id: string }> = {
  type: 'look',
  taskQueue: 'no worker listens' as TaskQueue,
  workflowId: ({ id }) => `look/${id}`,
};

describe('the relay', () => {
  let api: TestApi;
  let temporal: TemporalClient;
  beforeAll(async () => {
    installRuntime();
    api = await startApi({ env: { TEMPORAL_ADDRESS: temporalAddress(), TEMPORAL_NAMESPACE: testNamespace() } });
    temporal = connectTemporal(api.config);
  });
  afterAll(async () => {
    await temporal.close();
    await api.close();
  });

  const withRelay = async (reactions: Reactions, during: () => Promise<void>, inline?: InlineWork) => {
    const { db } = api;
    const log = pino({ level: 'silent' });
    const relay = startRelay({
      databaseUrl: api.databaseUrl,
      db,
      commandDb: db,
      temporal: () => temporal.client,
      reactions,
      ...(inline && { inline }),
      log,
    });
    try {
      await during();
    } finally {
      await relay.stop();
    }
  };
  const outbox = (orgId: string) =>
    api.db.selectFrom('outbox').select(['id', 'attempts', 'last_error']).where('org_id', '=', orgId).execute();
  const save = (org: { post: TestApi['org']['post'] }, email: string) => org.post('/contacts', { contact: { email } });
  const signalsOf = async (id: string) => {
    const { events } = await temporal.client.workflow.getHandle(`look/${id}`).fetchHistory();
    return events?.filter((event) => event.workflowExecutionSignaledEventAttributes).length ?? 0;
  };

  it('names the request in the work that follows from it, over an event too', async () => {
    const seen: (string | undefined)[] = [];
    const reactions: Reactions = {
      'contact-created': [
        (trx, orgId) => enqueue(trx, orgId, signalWithStart(LOOK, { id: newId() }, 'wake', { subjectId: orgId })),
      ],
    };
    const work = inlineWorkOf(LOOK, async () => {
      seen.push(currentIds().requestId);
      return true;
    });
    const relayed = async () => {
      // What several requests have caused names none, if it is handled at once.
      await eventually('what came before', async () => (await outbox(api.org.id)).length === 0);
      const { headers } = await save(api.org, 'requested@example.com');
      await eventually('the work', () => seen.length > 0);
      expect(seen).toEqual([headers.get('x-request-id')]);
    };
    await withRelay(reactions, relayed, new Map([work]));
  });

  it('starts workflows and Schedules without a title in a namespace that has no attribute for it', async () => {
    const namespace = `untitled-${newId()}`;
    const connection = await Connection.connect({ address: temporalAddress() });
    const workflowExecutionRetentionPeriod = { seconds: 86_400 as never };
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
    const client = new Client({ connection, namespace });
    await eventually('the namespace', async () =>
      connection.operatorService
        .addSearchAttributes({ namespace, searchAttributes: { OrgId: 2, SubjectId: 2, Kind: 2 } })
        .catch(() => undefined),
    );
    const { id: orgId } = api.org;
    const subject = { subjectId: orgId, summary: 'Look at it' };
    await inTransaction(api.db, (trx) => enqueue(trx, orgId, start(LOOK, { id: orgId }, subject)));
    const warnings: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => warnings.push(JSON.parse(line).msg) });
    const relay = startRelay({
      databaseUrl: api.databaseUrl,
      db: api.db,
      commandDb: api.db,
      temporal: () => client,
      reactions: {},
      log,
    });
    try {
      const found = await eventually('the workflow', () =>
        client.workflow
          .getHandle(`look/${orgId}`)
          .describe()
          .catch(() => undefined),
      );
      expect(
        found.typedSearchAttributes
          .getAll()
          .map(({ key }) => key.name)
          .sort(),
      ).toEqual(['Kind', 'OrgId', 'SubjectId']);
      expect(warnings).toContain(
        'Temporal has no search attribute Title: workflows start without it. Run deploy/temporal-namespace.sh',
      );
      await putSchedule(client, {
        scheduleId: `look-schedule/${orgId}`,
        orgId,
        subjectId: orgId,
        times: { everyMs: 3_600_000, offsetMs: 0 },
        catchupWindow: '1 minute',
        summary: 'Look every hour',
        contract: LOOK,
        input: { id: orgId },
      });
      expect(await hasSchedule(client, `look-schedule/${orgId}`)).toBe(true);
    } finally {
      await relay.stop();
      await connection.close();
    }
  });

  it('defers failed events of one org without blocking other orgs', async () => {
    const failing = await api.createOrg('Failing');
    const fine = await api.createOrg('Fine');
    let isBroken = true;
    const seen: string[] = [];
    const reactions: Reactions = {
      'contact-created': [
        async (trx, orgId, events) => {
          if (orgId === failing.id && isBroken) await sql`select 1 / 0`.execute(trx);
          seen.push(...events.map(() => orgId));
        },
      ],
    };
    await save(failing, 'ann@example.com');
    await save(fine, 'ann@example.com');
    await withRelay(reactions, async () => {
      await eventually('the other org', () => seen.includes(fine.id));
      const [waiting] = await eventually('the reason', async () => {
        const rows = await outbox(failing.id);
        return rows[0]?.last_error !== null && rows;
      });
      expect(waiting?.last_error).toContain('division by zero');
      isBroken = false;
      await eventually('the failed one', () => seen.includes(failing.id));
      await eventually('an empty outbox', async () => (await outbox(failing.id)).length === 0);
    });
    expect(seen.toSorted()).toEqual([failing.id, fine.id].toSorted());
  });

  it('starts a workflow once, even if it was enqueued several times', async () => {
    const id = newId();
    for (let i = 0; i < 3; i++)
      await inTransaction(api.db, (trx) => enqueue(trx, api.org.id, start(LOOK, { id }, { subjectId: id })));
    await withRelay({}, () =>
      eventually('an empty outbox', async () => (await outbox(api.org.id)).length === 0).then(() => undefined),
    );
    expect((await temporal.client.workflow.getHandle(`look/${id}`).describe()).status.name).toBe('RUNNING');
  });

  it('merges repeated signals to a workflow', async () => {
    const id = newId();
    for (let i = 0; i < 50; i++)
      await inTransaction(api.db, (trx) =>
        enqueue(trx, api.org.id, signalWithStart(LOOK, { id }, 'wake', { subjectId: id })),
      );
    await withRelay({}, () =>
      eventually('an empty outbox', async () => (await outbox(api.org.id)).length === 0).then(() => undefined),
    );
    expect(await signalsOf(id)).toBeGreaterThan(0);
    expect(await signalsOf(id)).toBeLessThan(50);
  });

  it('sends no commands of a rolled back transaction to Temporal', async () => {
    const id = newId();
    const undone = api.db.transaction().execute(async (trx) => {
      await enqueue(trx, api.org.id, start(LOOK, { id }, { subjectId: id }));
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    await withRelay({}, async () => {
      const marker = newId();
      await inTransaction(api.db, (trx) =>
        enqueue(trx, api.org.id, start(LOOK, { id: marker }, { subjectId: marker })),
      );
      await eventually('an empty outbox', async () => (await outbox(api.org.id)).length === 0);
    });
    await expect(temporal.client.workflow.getHandle(`look/${id}`).describe()).rejects.toThrow(WorkflowNotFoundError);
  });

  it('deletes what a slow Temporal has accepted, and sends the rest of the batch in the next ones', async () => {
    const ids = Array.from({ length: 25 }, newId);
    await inTransaction(api.db, (trx) =>
      enqueue(trx, api.org.id, ...ids.map((id) => start(LOOK, { id }, { subjectId: id }))),
    );
    const now = performance.now.bind(performance);
    let lateMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + lateMs);
    const started: string[] = [];
    const slow = {
      withDeadline: (_: number, work: () => Promise<void>) => work(),
      workflow: {
        async start(_: string, { workflowId }: { workflowId: string }) {
          started.push(workflowId);
          lateMs += 2_000;
        },
      },
    } as unknown as Client;
    const log = pino({ level: 'silent' });
    const sendBatch = commandSender(
      { db: api.db, inline: new Map(), listHeadings: async () => new Map(), startsEagerly: true, log },
      () => slow,
    );
    const left: number[] = [];
    try {
      for (let batch = 0; batch < 4; batch++) {
        await (await sendBatch())?.row;
        left.push((await outbox(api.org.id)).length);
      }
    } finally {
      clock.mockRestore();
    }
    expect(left).toEqual([17, 9, 1, 0]);
    expect(started.toSorted()).toEqual(ids.map((id) => `look/${id}`).toSorted());
  });

  it('starts workflows by their summaries if their headings cannot be read, and blames the database', async () => {
    const ids = [newId(), newId()];
    const commands = ids.map((id) => start(LOOK, { id }, { subjectId: id, summary: 'Look at it' }));
    await inTransaction(api.db, (trx) => enqueue(trx, api.org.id, ...commands));
    const said: { level: number; msg: string; err: { code: string } }[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => said.push(JSON.parse(line)) });
    const listHeadings: HeadingSource = async (trx) => {
      await sql`select 1 / 0`.execute(trx); // Postgres aborts the transaction
      return new Map();
    };
    const sender = { db: api.db, inline: new Map(), listHeadings, startsEagerly: true, log };
    const sent = await commandSender(sender, () => temporal.client)();
    await sent?.row;
    const titles = ids.map(async (id) => {
      const { typedSearchAttributes } = await temporal.client.workflow.getHandle(`look/${id}`).describe();
      return typedSearchAttributes.getAll().find(({ key }) => key.name === 'Title')?.value;
    });
    expect(await Promise.all(titles)).toEqual(['Look at it', 'Look at it']);
    expect(await outbox(api.org.id)).toEqual([]);
    expect(said.map(({ level, msg, err }) => [level, msg, err.code])).toEqual([
      [40, 'headings of workflows could not be read: these start without them', '22012'],
    ]);
  });

  describe('where the work of a workflow can be done without it', () => {
    const wake = (orgId: string, ...ids: string[]) =>
      inTransaction(api.db, (trx) =>
        enqueue(trx, orgId, ...ids.map((id) => signalWithStart(LOOK, { id }, 'wake', { subjectId: id }))),
      );
    const isStarted = async (id: string) =>
      temporal.client.workflow
        .getHandle(`look/${id}`)
        .describe()
        .then(
          () => true,
          () => false,
        );
    const untilEmpty = (orgId: string) => eventually('an empty outbox', async () => (await outbox(orgId)).length === 0);

    it('starts the workflow only if something is left for it, or the work fails or takes too long', async () => {
      const [done, left, failing, hanging] = [newId(), newId(), newId(), newId()];
      await wake(api.org.id, done, left, failing, hanging);
      const work = inlineWorkOf(LOOK, async ({ id }) => {
        if (id === failing) throw new Error('no');
        if (id === hanging) await new Promise(() => undefined);
        return id === done;
      });
      await withRelay({}, async () => void (await untilEmpty(api.org.id)), new Map([work]));
      expect(await Promise.all([done, left, failing, hanging].map(isStarted))).toEqual([false, true, true, true]);
    });

    it('does the work of many signals in short batches, so that other orgs’ commands do not wait for all of it', async () => {
      const busy = await api.createOrg('Busy');
      const ids = Array.from({ length: 25 }, newId);
      await wake(busy.id, ...ids);
      const worked: string[] = [];
      const work = inlineWorkOf(LOOK, async ({ id }) => {
        if (ids.includes(id)) {
          await sleep(200);
          worked.push(id);
        }
        return ids.includes(id);
      });
      const other = newId();
      let before = 0;
      await withRelay(
        {},
        async () => {
          await eventually('the first work', () => worked.length > 0);
          await inTransaction(api.db, (trx) =>
            enqueue(trx, api.org.id, start(LOOK, { id: other }, { subjectId: other })),
          );
          await untilEmpty(api.org.id);
          before = worked.length;
          await untilEmpty(busy.id);
        },
        new Map([work]),
      );
      expect(before).toBeLessThan(ids.length);
      expect(worked.toSorted()).toEqual(ids.toSorted());
      expect(await isStarted(other)).toBe(true);
    });
  });
});
