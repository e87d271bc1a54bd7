import type { Client } from '@temporalio/client';
import { type AutomationRef, scheduleIdOf } from '../automations/triggers/contract.ts';
import { listScheduledWorkflows, syncWorkflowSchedule } from '../automations/triggers/schedules.service.ts';
import { crawlScheduleIdOf, type DatasourceRef } from '../crawl/contract.ts';
import { listScheduledDatasources, syncCrawlSchedule } from '../crawl/datasources/repair.service.ts';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { type Command, enqueue } from '../outbox/outbox.ts';
import { deleteSchedule, hasSchedule, listAllScheduleIds } from '../temporal/schedules.ts';
import { type InDoubt, outcomeOf } from './in-doubt.ts';

const ROWS_PER_QUERY = 100;
/** A Schedule of ours, which may have a part behind its subject. */
const OURS = /^(?:workflow|crawl)-schedule\/[\da-f-]{36}/;

/**
 * Has all Schedules set to what the database says, whichever of the two is older, and deletes those that it does not have.
 * Returns the deleted ones.
 */
export async function reconcileSchedules(db: Db, client: Client, isDryRun: boolean): Promise<InDoubt[]> {
  const workflows = await readAll<AutomationRef>((after, limit) => listScheduledWorkflows(db, after, limit));
  const datasources = await readAll<DatasourceRef>((after, limit) => listScheduledDatasources(db, after, limit));
  const wanted = new Set([...workflows.map(scheduleIdOf), ...datasources.map(crawlScheduleIdOf)]);
  const orphans = (await listAllScheduleIds(client)).filter((id) => {
    const ours = OURS.exec(id)?.[0];
    return ours !== undefined && !wanted.has(ours);
  });
  if (!isDryRun) {
    await enqueueAll(db, workflows, syncWorkflowSchedule);
    await enqueueAll(db, datasources, syncCrawlSchedule);
  }
  const found: InDoubt[] = [];
  for (const id of orphans) {
    if (!(await hasSchedule(client, id))) continue; // the list is some seconds behind
    const outcome = isDryRun ? { mended: 'none' } : await outcomeOf(deleteSchedule(client, id).then(() => 'deleted'));
    const schedule = { kind: 'schedule' as const, org_id: null, id, why: 'the database does not have it' };
    if (outcome !== undefined) found.push({ ...schedule, ...outcome });
  }
  return found;
}

async function readAll<Ref>(list: (after: Ref | undefined, limit: number) => Promise<Ref[]>): Promise<Ref[]> {
  const all: Ref[] = [];
  let page: Ref[] = [];
  do {
    page = await list(page.at(-1), ROWS_PER_QUERY);
    all.push(...page);
  } while (page.length === ROWS_PER_QUERY);
  return all;
}

const enqueueAll = <Ref extends { orgId: string }>(db: Db, refs: Ref[], commandOf: (ref: Ref) => Command) =>
  inTransaction(db, async (trx) => {
    for (const ref of refs) await enqueue(trx, ref.orgId, commandOf(ref));
  });
