import type { Client } from '@temporalio/client';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/connect.ts';
import { conflict, unavailable } from '../../errors.ts';
import { NIL_UUID } from '../../ids.ts';
import { loggableText } from '../../logging/loggable.rules.ts';
import { CONDITION_KINDS, type ConditionKind } from '../../overview/attention/conditions.ts';
import { repair } from '../../repair/repair.ts';
import { SUBJECTS } from '../../repair/subjects.ts';
import { describeQueues } from '../../temporal/queues.ts';
import {
  countConnections,
  type IncidentRow,
  listFailing,
  listIncidents,
  listLimitsHit,
  listOrgCounts,
  listParkedBehind,
  readOutbox,
} from './state.queries.ts';
import { pageOfQueue, pageOfTypes } from './temporal-ui.rules.ts';

const MAX_MISMATCHES = 500;
const MAX_REASON = 300;

/** Returns what of a reason is of the product itself: no words of a customer or a provider. */
const shownReason = (reason: string | null): string | null =>
  reason === null ? null : loggableText(reason).slice(0, MAX_REASON);

/** Returns a page of rows that were read by their ids, up to one more than fits. */
function pageById<Row extends { id: string }>(rows: Row[], limit: number): { items: Row[]; next: string | null } {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/** Returns a page of all orgs with counts of at most 1,000 each. */
export async function pageOfOrgs(db: Db, { cursor, limit }: { cursor?: string | undefined; limit: number }) {
  return pageById(await listOrgCounts(db, cursor ?? NIL_UUID, limit + 1), limit);
}

/** Returns what waits in the outbox, and the first 100 rows that could not be handled. */
export async function stateOfOutbox(db: Db) {
  const [state, rows] = await Promise.all([readOutbox(db), listFailing(db)]);
  const items = rows.map(({ last_error, available_at, ...row }) => ({
    ...row,
    reason: shownReason(last_error),
    next_try_at: available_at,
  }));
  return { ...state, items };
}

/** Returns a page of parked events, oldest first. */
export async function pageOfParked(db: Db, { cursor, limit }: { cursor: string; limit: number }) {
  const { items, next } = pageById(await listParkedBehind(db, cursor, limit + 1), limit);
  return { items: items.map(({ last_error, ...row }) => ({ ...row, reason: shownReason(last_error) })), next };
}

/** Returns who polls each queue and what waits there. While Temporal is away it says so. */
export async function stateOfQueues(client: Client, config: Config) {
  try {
    const queues = await describeQueues(client);
    return {
      state: 'ok' as const,
      items: queues.map((queue) => ({ ...queue, url: pageOfQueue(config, queue.queue) })),
    };
  } catch {
    return { state: 'away' as const, items: [] };
  }
}

export const stateOfProviders = async (db: Db) => ({ items: await countConnections(db) });

/**
 * How often these are counted at most, however many operators look: unknown deliveries take a look-up for every org, and
 * failed runs up to 1,000 rows.
 */
const COUNTED_TTL_MS = 60_000;
const COUNTED_KINDS: readonly ConditionKind[] = ['unknown_delivery', 'run_failed'];
const INDEXED_KINDS = CONDITION_KINDS.filter((kind) => !COUNTED_KINDS.includes(kind));

/** Returns a function that lists what a person has to mend, with reasons that name no words of a customer. */
export function incidentsOf(db: Db) {
  let counted: { until: number; rows: Promise<IncidentRow[]> } | undefined;
  const listCounted = () => {
    if (counted === undefined || counted.until < performance.now()) {
      const rows = listIncidents(db, COUNTED_KINDS);
      counted = { until: performance.now() + COUNTED_TTL_MS, rows };
      rows.catch(() => {
        counted = undefined;
      });
    }
    return counted.rows;
  };
  return async () => {
    const rows = (await Promise.all([listIncidents(db, INDEXED_KINDS), listCounted()])).flat();
    return { items: rows.map(({ reason, ...row }) => ({ ...row, reason: shownReason(reason) })) };
  };
}

export const stateOfLimits = async (db: Db, { WRITE_QUOTA_BYTES }: Config) => ({
  items: await listLimitsHit(db, WRITE_QUOTA_BYTES),
});

let isComparing = false;

/**
 * Compares all rows that wait for a workflow with Temporal, and mends nothing. Throws conflict while the process is at it
 * already, and unavailable if Temporal does not answer.
 */
export async function compareWithTemporal(
  db: Db,
  client: Client,
  { config, log }: { config: Config; log: Pick<FastifyBaseLogger, 'warn'> },
) {
  if (isComparing) throw conflict('A comparison is under way: wait for its end');
  isComparing = true;
  try {
    const found = await repair(db, client, { isDryRun: true });
    const startsOf = new Map(SUBJECTS.map(({ kind, starts }) => [kind, starts]));
    const items = found.slice(0, MAX_MISMATCHES).map(({ kind, org_id, id, temporal }) => ({
      kind,
      org_id,
      id,
      temporal,
      url: pageOfTypes(config, startsOf.get(kind) ?? []),
    }));
    return { items, left_out: found.length - items.length };
  } catch (error) {
    log.warn({ err: error }, 'a comparison with Temporal failed');
    throw unavailable('Temporal or the database did not answer: look at the queues, and try again');
  } finally {
    isComparing = false;
  }
}

/** Returns the pages of the running workflows of each kind in the Temporal UI. */
export const linksOf = (config: Config) =>
  SUBJECTS.flatMap(({ kind, starts }) => {
    const url = pageOfTypes(config, starts);
    return url === null ? [] : [{ kind, url }];
  });
