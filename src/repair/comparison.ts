import type { Client } from '@temporalio/client';
import type { Db } from '../db/connect.ts';
import { messageOf } from '../errors.ts';
import { listPendingWorkflows } from '../outbox/pending.queries.ts';
import { findExecutionStates } from '../temporal/executions.ts';
import type { Mismatch, Subject } from './subject.ts';

const ROWS_PER_QUERY = 100;

/** A kind of rows, and its comparison with Temporal. */
export interface ComparedSubject extends Pick<Mismatch, 'kind'> {
  starts: string[];
  repair: (db: Db, client: Client, isDryRun: boolean) => Promise<Mismatch[]>;
}

export const compared = <Ref extends { orgId: string }>(subject: Subject<Ref>): ComparedSubject => ({
  kind: subject.kind,
  starts: subject.starts,
  repair: (db, client, isDryRun) => repairSubject(db, client, isDryRun, subject),
});

const statesOfWorkflows =
  <Ref>(workflowIdOf: (ref: Ref) => string) =>
  (client: Client, refs: Ref[]) =>
    findExecutionStates(client, [...new Set(refs.map(workflowIdOf))]);

/** Compares the rows of a subject with Temporal, some at a time, and mends those without a workflow. */
async function repairSubject<Ref extends { orgId: string }>(
  db: Db,
  client: Client,
  isDryRun: boolean,
  { kind, list, workflowIdOf, findStates = statesOfWorkflows(workflowIdOf), idOf, mend }: Subject<Ref>,
): Promise<Mismatch[]> {
  const mismatches: Mismatch[] = [];
  let page: Ref[] = [];
  do {
    const after = page.at(-1);
    page = await list(db, after, ROWS_PER_QUERY);
    // Read before Temporal is asked: a command sent in between has an effect there.
    const pending = await listPendingWorkflows(db, page.map(workflowIdOf));
    const states = await findStates(client, page);
    const stateOf = (ref: Ref) => states.get(workflowIdOf(ref)) ?? 'absent';
    const suspects = page.filter((ref) => stateOf(ref) !== 'running' && !pending.has(workflowIdOf(ref)));
    if (suspects.length === 0) continue;
    // A workflow that ends has changed its rows before.
    const waiting = new Set((await list(db, after, ROWS_PER_QUERY)).map(workflowIdOf));
    for (const ref of suspects) {
      const temporal = stateOf(ref);
      if (temporal === 'running' || !waiting.has(workflowIdOf(ref))) continue;
      const outcome = isDryRun ? { mended: 'none' } : await outcomeOf(mend(db, ref, temporal));
      if (outcome !== undefined) mismatches.push({ kind, org_id: ref.orgId, id: idOf(ref), temporal, ...outcome });
    }
  } while (page.length === ROWS_PER_QUERY);
  return mismatches;
}

const outcomeOf = (mending: Promise<string | undefined>): Promise<Pick<Mismatch, 'mended' | 'error'> | undefined> =>
  mending.then(
    (mended) => (mended === undefined ? undefined : { mended }),
    (error: unknown) => ({ mended: 'failed', error: messageOf(error) }),
  );
