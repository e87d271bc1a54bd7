import { sql } from 'kysely';
import { startMaintenance } from '../../../worker/maintenance.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';
import { batchesOf, commandsOf, connectCrm, deliver, eventsOf, newMessage } from '../webhook-deliveries.ts';

describe('the maintenance of CRM events', () => {
  let api: TestApi;
  let org: TestOrg;
  let path: string;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    org = await api.createOrg();
    path = await connectCrm(org);
  });

  const keepHouseUntil = async (what: string, look: () => Promise<boolean>) => {
    const failures: unknown[] = [];
    const stop = startMaintenance(api.db, api.config, { warn: (failure: unknown) => void failures.push(failure) });
    await eventually(what, look);
    stop();
    expect(failures).toEqual([]);
  };
  const workflows = async () => (await commandsOf(api, org.id)).map(([workflowId]) => workflowId);

  it('deletes batches after 30 days, but still recognizes their events', async () => {
    const old = newMessage(7);
    await deliver(api, path, [old]);
    await sql`update crm_batches set received_at = now() - interval '30 days 1 minute' where org_id = ${org.id}`.execute(
      api.db,
    );
    await deliver(api, path, [newMessage(8)]);
    await sql`update crm_batches set received_at = now() - interval '29 days' where org_id = ${org.id}
      and received_at > now() - interval '1 hour'`.execute(api.db);
    await keepHouseUntil('the old batch to be gone', async () => (await batchesOf(api, org.id)).length === 1);
    expect(await eventsOf(api, org.id)).toHaveLength(2);
    await deliver(api, path, [old]);
    expect(await eventsOf(api, org.id)).toHaveLength(2);
  });

  it('wakes each queue with events that have waited for minutes, once', async () => {
    await deliver(api, path, [
      newMessage('forgotten'),
      newMessage('forgotten'),
      newMessage('done'),
      newMessage('delayed'),
    ]);
    await deliver(api, path, [newMessage('commanded')]);
    const age = sql`now() - interval '121 seconds'`;
    await sql`update crm_events set created_at = ${age} where org_id = ${org.id}`.execute(api.db);
    await sql`update crm_events set state = 'done' where org_id = ${org.id} and object_id = 'done'`.execute(api.db);
    await sql`update crm_events set not_before = now() where org_id = ${org.id} and object_id = 'delayed'`.execute(
      api.db,
    );
    await deliver(api, path, [newMessage('young')]);
    await sql`
      insert into outbox (org_id, kind, type, subject_id, workflow_id, task_queue, signal, payload)
      values (${org.id}, 'signal', 'syncCrmThread', ${org.id}, ${`crm-thread/${org.id}/commanded`}, 'interactive', 'wake', '{}')
    `.execute(api.db);

    const forgotten = `crm-thread/${org.id}/forgotten`;
    await keepHouseUntil('a signal', async () => (await workflows()).includes(forgotten));
    expect(await workflows()).toEqual([`crm-thread/${org.id}/commanded`, forgotten]);
  });
});
