import type { Db } from '../../db/connect.ts';
import { decodeCursor, settledBefore, toPage } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { decompressBody, dedupeKeyOf, elementsOf, parseElements, signalQueues } from './batch-parsing.service.ts';
import {
  type BatchEvents,
  type BatchSummary,
  countUnchanged,
  findBatch,
  listBatchBodies,
  listBatches,
  listEventsByKey,
  listWaitingQueues,
  requeueEvents,
  type StoredBatch,
} from './event-log.queries.ts';
import type { ListBatches, ReplayBatches } from './event-log.schema.ts';

/** The size of one step of a replay, far below a second of work. */
const BATCHES_PER_STEP = 50;
const EVENTS_PER_STEP = 5_000;

/** Returns a page of the batches posted by CRMs, latest first. */
export async function pageOfBatches(db: Db, orgId: string, { cursor, limit }: ListBatches) {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const rows = await listBatches(db, orgId, { after, settled: await settledBefore(db), limit });
  return toPage(rows.map(withKnownCount), limit, ({ received_at }) => received_at);
}

/** Returns a batch with its original body and the state of each of its elements. Throws notFound. */
export async function getBatchDetail(db: Db, orgId: string, id: string) {
  const { body: packed, ...batch } = await getBatch(db, orgId, id);
  const body = decompressBody(packed);
  const { parsedElements } = parseElements(elementsOf(body), batch.received_at);
  const keys = parsedElements.flatMap((reading) => (reading.kind === 'event' ? [dedupeKeyOf(reading.event)] : []));
  const known = new Map((await listEventsByKey(db, orgId, keys)).map((event) => [event.dedupe_key, event]));
  const elements = parsedElements.map((reading, index) => {
    const nothing = { index, type: null, object_id: null, occurred_at: null, reason: null, settled_at: null };
    if (reading.kind === 'malformed') return { ...nothing, state: reading.kind, reason: reading.reason };
    if (reading.kind === 'unsupported') return { ...nothing, state: reading.kind, type: reading.type };
    const { type, object_id, occurred_at } = reading.event;
    const {
      state = 'unknown' as const,
      reason = null,
      settled_at = null,
    } = known.get(dedupeKeyOf(reading.event)) ?? {};
    return { index, type, object_id, occurred_at, state, reason, settled_at };
  });
  return { ...withKnownCount(batch), body, elements };
}

/**
 * Queues the unknown and the failed events of a batch, and tries those again that wait for the CRM. Events already done
 * stay done. Throws notFound.
 */
export async function replayBatch(db: Db, orgId: string, id: string, isDry: boolean) {
  return replay(db, orgId, [await getBatch(db, orgId, id)], isDry);
}

/** Replays the first batches received within a period, some fifty, and returns the cursor of the next ones. */
export async function replayBatches(db: Db, orgId: string, { from, to, dry_run, cursor }: ReplayBatches) {
  const rows = await listBatchBodies(db, orgId, {
    from: new Date(from),
    to: new Date(to),
    after: cursor === undefined ? undefined : decodeCursor(cursor),
    limit: BATCHES_PER_STEP + 1,
    mostEvents: EVENTS_PER_STEP,
  });
  const kept = rows
    .slice(0, BATCHES_PER_STEP)
    .flatMap(({ body, ...batch }) => (body === null ? [] : [{ ...batch, body }]));
  const { next } = toPage(rows, kept.length, ({ received_at }) => received_at);
  return { ...(await replay(db, orgId, kept, dry_run)), next };
}

async function replay(db: Db, orgId: string, kept: StoredBatch[], isDry: boolean) {
  const batches = kept.map(({ id, body, received_at }) => ({
    id,
    events: parseElements(elementsOf(decompressBody(body)), received_at).events,
  }));
  const events = new Map(batches.flatMap((batch) => batch.events.map((event) => [event.key, event])));
  const queued = isDry
    ? await countQueueable(db, orgId, [...events.values()])
    : await requeueAndSignal(db, orgId, batches);
  return { batches: batches.length, queued, unchanged: events.size - queued };
}

async function countQueueable(db: Db, orgId: string, events: BatchEvents['events']): Promise<number> {
  const keys = events.filter(({ skipped }) => skipped === null).map(({ key }) => key);
  return keys.length - (await countUnchanged(db, orgId, keys));
}

const requeueAndSignal = (db: Db, orgId: string, batches: BatchEvents[]): Promise<number> =>
  inTransaction(db, async (trx) => {
    const waiting = await listWaitingQueues(trx, orgId, batches);
    const queues = await requeueEvents(trx, orgId, batches);
    await signalQueues(trx, orgId, [...queues, ...waiting]);
    return queues.length;
  });

async function getBatch(db: Db, orgId: string, id: string): Promise<BatchSummary & StoredBatch> {
  const batch = await findBatch(db, orgId, id);
  if (batch === undefined) throw notFound('batch');
  return batch;
}

function withKnownCount<Batch extends BatchSummary>(batch: Batch): Batch & { known: number } {
  const fresh = Object.values(batch.states).reduce((sum, count) => sum + count, 0);
  return { ...batch, known: Math.max(batch.events - fresh, 0) };
}
