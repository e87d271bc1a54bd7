import type { Db, Trx } from '../../../db/connect.ts';
import { isDatabaseUnavailable } from '../../../db/failures.ts';
import { hasFastPaths } from '../../../db/fast-paths.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { wakeForEvents } from '../../../outbox/wake.ts';
import type { Json } from '../../blocks/schema.ts';
import type { StepPath } from '../../interpreter/step-paths.rules.ts';
import { finishRuns } from '../finish-run.service.ts';
import { listRedactions, redactSteps } from '../redaction.queries.ts';
import type { StepRecord } from '../shared.queries.ts';
import { saveInOneStatement } from './progress.queries.ts';
import { completeSteps, insertSteps, lockRunsInBatch } from './queries.ts';

/** What is new about a run of a batch. */
export interface Progress {
  runId: string;
  batchId: string;
  /** How often the run was redacted when it was loaded. */
  redactions: number;
  /** The end of the call that was begun before. */
  ended: { path: StepPath; output: Json } | undefined;
  /** Blocks that were evaluated, and at last the action that begins. */
  records: StepRecord[];
  /** No step is left. */
  isEnd: boolean;
  /** The AI may wait for the end of the run, or the run has received events. */
  isHeard: boolean;
}

export interface ProgressWriter {
  /**
   * Saves progress. Returns whether the run goes on: not if it was canceled or deleted meanwhile, and not if another
   * attempt has begun the action.
   */
  save(progress: Progress): Promise<boolean>;
}

interface Waiting {
  progress: Progress;
  resolve: (goesOn: boolean) => void;
  reject: (error: unknown) => void;
}

/** Creates a writer that saves the progress of many runs of an org together: whatever arrives during the one before. */
export function createProgressWriter(db: Db, orgId: string): ProgressWriter {
  let waiting: Waiting[] = [];
  let isBusy = false;

  const saveAll = async (items: Waiting[]): Promise<void> => {
    try {
      const going = await saveTogether(
        db,
        orgId,
        items.map(({ progress }) => progress),
      );
      for (const { progress, resolve } of items) resolve(going.has(progress.runId));
    } catch (error) {
      if (items.length > 1 && !isDatabaseUnavailable(error)) for (const item of items) await saveAll([item]);
      else for (const { reject } of items) reject(error);
    }
  };
  const work = async () => {
    isBusy = true;
    while (waiting.length > 0) {
      const items = waiting;
      waiting = [];
      await saveAll(items);
    }
    isBusy = false;
  };
  return {
    save: (progress) =>
      new Promise((resolve, reject) => {
        waiting.push({ progress, resolve, reject });
        if (!isBusy) void work();
      }),
  };
}

/**
 * Saves the progress of runs: that of most in one statement, and that of the others, with all that may follow from it, in
 * one transaction. Returns the ids of those that continue.
 */
async function saveTogether(db: Db, orgId: string, items: Progress[]): Promise<Set<string>> {
  const plain = hasFastPaths(db) ? items.filter(({ isEnd, isHeard }) => !(isEnd && isHeard)) : [];
  const saved = plain.length === 0 ? NONE_SAVED : await saveInOneStatement(db, orgId, plain);
  if (saved.hasAnnounced) wakeForEvents(db);
  const others = items.filter(({ runId }) => !saved.runIds.has(runId));
  const going = others.length === 0 ? [] : await inTransaction(db, (trx) => saveProgress(trx, orgId, others));
  return new Set([...saved.going, ...going]);
}
const NONE_SAVED = { runIds: new Set<string>(), going: [], hasAnnounced: false };

/**
 * Saves the progress of runs, each at most once. What is saved of a run that was redacted since it was loaded has no texts.
 * Returns the ids of those that go on.
 */
async function saveProgress(trx: Trx, orgId: string, items: Progress[]): Promise<Set<string>> {
  const redactions = await lockRunsInBatch(trx, orgId, items);
  const going = new Set(redactions.keys());
  // A call that was made is recorded even if its run was canceled meanwhile.
  await completeSteps(
    trx,
    orgId,
    items.flatMap(({ runId, ended }) => (ended === undefined ? [] : [{ run_id: runId, ...ended }])),
  );
  const records = items
    .filter(({ runId }) => going.has(runId))
    .flatMap(({ runId, records }) => records.map((record) => ({ ...record, run_id: runId })));
  const inserted = await insertSteps(trx, orgId, records);
  const added = new Set(inserted.map(({ run_id, path }) => `${run_id} ${path}`));
  for (const { run_id, path, status } of records)
    if (status === 'in_progress' && !added.has(`${run_id} ${path}`)) going.delete(run_id);
  const canceled = items.filter(({ runId, ended }) => ended !== undefined && !redactions.has(runId));
  const others = await listRedactions(
    trx,
    orgId,
    canceled.map(({ runId }) => runId),
  );
  const known = new Map([...redactions, ...others]);
  const late = items.filter((item) => known.has(item.runId) && known.get(item.runId) !== item.redactions);
  await redactSteps(
    trx,
    orgId,
    late.flatMap(({ runId, ended, records }) =>
      [...(ended === undefined ? [] : [ended]), ...records].map(({ path }) => ({ run_id: runId, path })),
    ),
  );
  const ends = items.filter(({ runId, isEnd }) => isEnd && going.has(runId)).map(({ runId }) => runId);
  await finishRuns(trx, orgId, ends, { status: 'completed' });
  return going;
}
