import type { Client } from '@temporalio/client';
import type { TurnRef } from '../ai/turns/contract.ts';
import { endTurnInDoubt, listOpenTurns } from '../ai/turns/repair.service.ts';
import type { RunRef } from '../automations/runs/contract.ts';
import { failRunInDoubt, listRunsInDoubt } from '../automations/runs/repair.service.ts';
import { skipLostTimes } from '../automations/triggers/schedules.service.ts';
import type { SessionRun } from '../crm/contract.ts';
import { failHandoffInDoubt, listHandoffsInDoubt } from '../crm/handoffs/restore.service.ts';
import type { Db } from '../db/connect.ts';
import {
  endRequestInDoubt,
  listRequestsInDoubt,
  type RequestInDoubt,
  workflowIdOfRequest,
} from '../deliveries/sending/workflow-repair.service.ts';
import type { SequenceRef } from '../sequences/contract.ts';
import { isSequenceInDoubt, listActiveSequences, pauseInDoubt } from '../sequences/sending/restore.service.ts';
import { findExecutionStates, findKnownSince } from '../temporal/executions.ts';
import { wakeRestoredWebhooks } from '../webhooks/maintenance.service.ts';
import { type InDoubt, outcomeOf } from './in-doubt.ts';
import { reconcileSchedules } from './schedules.ts';

/** Which databases were restored from a backup: Switchboard's, Temporal's, or both. */
export const RESTORED = ['postgres', 'temporal', 'both'] as const;
export type Restored = (typeof RESTORED)[number];

export interface Restore {
  restored: Restored;
  /** Until when the programs worked on the database that was lost. What was due before may have been done. */
  lostUntil: Date;
  isDryRun: boolean;
}

const ROWS_PER_QUERY = 100;

/** One kind of rows whose work may have been done by a database that was lost. */
interface DoubtfulKind<Ref extends { orgId: string }> {
  kind: InDoubt['kind'];
  why: string;
  list: (after: Ref | undefined, limit: number) => Promise<Ref[]>;
  /** Returns those in doubt. Absent: all. */
  choose?: (refs: Ref[]) => Promise<Ref[]>;
  idOf: (ref: Ref) => string;
  mend: (ref: Ref) => Promise<string | undefined>;
}

/**
 * Ends or pauses what may have been done after the backup that a database was restored from: nothing is sent or called a
 * second time unless a person decides it. Sets the Schedules to what the database has, and has waiting webhooks sent. The
 * programs must not work meanwhile. Run `repair` afterwards. Running it again does no harm.
 */
export async function repairRestored(db: Db, client: Client, restore: Restore): Promise<InDoubt[]> {
  const found = restore.restored === 'temporal' ? [] : await repairDoubtfulRows(db, client, restore);
  if (!restore.isDryRun) {
    if (restore.restored !== 'temporal') await skipLostTimes(db, restore.lostUntil);
    await wakeRestoredWebhooks(db);
  }
  return [...found, ...(await reconcileSchedules(db, client, restore.isDryRun))];
}

async function repairDoubtfulRows(db: Db, client: Client, { restored, lostUntil, isDryRun }: Restore) {
  const found: InDoubt[] = [];
  const repairKind = async <Ref extends { orgId: string }>(kind: DoubtfulKind<Ref>) => {
    found.push(...(await repairDoubtful(kind, isDryRun)));
  };
  await repairKind<SequenceRef>({
    kind: 'sequence',
    why: 'steps were due before the loss',
    list: (after, limit) => listActiveSequences(db, after, limit),
    choose: async (refs) => {
      const areInDoubt = await Promise.all(refs.map((ref) => isSequenceInDoubt(db, ref, lostUntil)));
      return refs.filter((_, nth) => areInDoubt[nth]);
    },
    idOf: ({ sequenceId }) => sequenceId,
    mend: (ref) => pauseInDoubt(db, ref, lostUntil),
  });
  await repairKind<RequestInDoubt>({
    kind: 'message-request',
    why: 'messages were due before the loss',
    list: (after, limit) => listRequestsInDoubt(db, { after, limit, lostUntil }),
    choose: async (refs) => {
      if (restored === 'both') return refs;
      // Temporal was not lost. Only a workflow that it never had cannot have sent anything: one that runs may have.
      const knownSince = await findKnownSince(client);
      const states = await findExecutionStates(client, refs.map(workflowIdOfRequest));
      return refs.filter((ref) => states.get(workflowIdOfRequest(ref)) !== 'absent' || ref.createdAt < knownSince);
    },
    idOf: ({ id }) => id,
    mend: (ref) => endRequestInDoubt(db, ref, lostUntil),
  });
  await repairKind<RunRef>({
    kind: 'workflow-run',
    why: 'its next step was due before the loss',
    list: (after, limit) => listRunsInDoubt(db, { after, limit, lostUntil }),
    idOf: ({ runId }) => runId,
    mend: (ref) => failRunInDoubt(db, ref),
  });
  await repairKind<TurnRef>({
    kind: 'ai-turn',
    why: 'it may have been answered',
    list: (after, limit) => listOpenTurns(db, after, limit),
    idOf: ({ turnId }) => turnId,
    mend: (ref) => endTurnInDoubt(db, ref),
  });
  await repairKind<SessionRun>({
    kind: 'handoff',
    why: 'its parts may have been created',
    list: (after, limit) => listHandoffsInDoubt(db, { after, limit, lostUntil }),
    idOf: ({ sessionId }) => sessionId,
    mend: (ref) => failHandoffInDoubt(db, ref),
  });
  return found;
}

async function repairDoubtful<Ref extends { orgId: string }>(
  { kind, why, list, choose = async (refs) => refs, idOf, mend }: DoubtfulKind<Ref>,
  isDryRun: boolean,
): Promise<InDoubt[]> {
  const found: InDoubt[] = [];
  let page: Ref[] = [];
  do {
    page = await list(page.at(-1), ROWS_PER_QUERY);
    for (const ref of await choose(page)) {
      const outcome = isDryRun ? { mended: 'none' } : await outcomeOf(mend(ref));
      if (outcome !== undefined) found.push({ kind, org_id: ref.orgId, id: idOf(ref), why, ...outcome });
    }
  } while (page.length === ROWS_PER_QUERY);
  return found;
}
