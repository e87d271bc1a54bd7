import type { z } from 'zod';
import { elementAt } from '../../../collections/checked-access.ts';
import type { Db } from '../../../db/connect.ts';
import { decodeCursor, toPage } from '../../../db/cursor.ts';
import { refusedQuery } from '../../../errors.ts';
import { isUuid } from '../../../ids.ts';
import type { RunRow } from '../schema.ts';
import type { RunStatus } from '../table.ts';
import {
  countByPeriod,
  countByWorkflow,
  findWorkflowsByName,
  listRows,
  type ReadRow,
  type RunCriteria,
  runsThatMeet,
} from './queries.ts';
import type { CountRuns, ListAllRuns, RunFilters } from './schema.ts';
import { waitingForOf } from './waiting.rules.ts';

/** Returns a page of an org's runs of all workflows, newest first. Throws invalid for a foreign cursor. */
export async function pageOfAllRuns(db: Db, orgId: string, { cursor, limit, ...filters }: ListAllRuns) {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const rows = await listRows(db, orgId, { criteria: await criteriaOf(db, orgId, filters), after, limit });
  const { items, next } = toPage(rows, limit, ({ created_at }) => created_at);
  return { items: items.map(rowOf), next };
}

/** Returns the SQL of the ids of the runs that meet filters. */
export const selectRuns = async (db: Db, orgId: string, filters: RunFilters) =>
  runsThatMeet(orgId, await criteriaOf(db, orgId, filters));

async function criteriaOf(db: Db, orgId: string, { q, ...filters }: RunFilters): Promise<RunCriteria> {
  if (q === undefined) return filters;
  const words = q.trim();
  return isUuid(words)
    ? { ...filters, runId: words }
    : { ...filters, workflowIds: await findWorkflowsByName(db, orgId, words) };
}

/** Returns a run as lists show it. */
export function rowOf(row: ReadRow): z.output<typeof RunRow> {
  const { step_id: id, step_path: path, step_type: type, step_status: state } = row;
  const hasStep = id !== null && path !== null && type !== null && state !== null;
  return {
    ...row,
    waiting_for: waitingForOf({ ...row, step: hasStep ? { next_try_at: row.step_next_try_at } : undefined }),
    step: hasStep
      ? {
          id,
          path,
          type,
          state,
          name: row.step_name,
          attempts: row.step_attempts ?? 0,
          next_try_at: row.step_next_try_at,
          until: row.step_until,
          last_error: row.step_error,
        }
      : null,
  };
}

const DAY_MS = 24 * 3_600_000;
const MAX_DAYS = 366;

/** Returns the range that is counted. Throws invalid if it is empty or too long. */
function rangeOf(from: string | undefined, to: string | undefined): { fromMs: number; toMs: number } {
  const toMs = to === undefined ? Date.now() : Date.parse(to);
  const fromMs = from === undefined ? toMs - DAY_MS : Date.parse(from);
  if (fromMs >= toMs || toMs - fromMs > MAX_DAYS * DAY_MS)
    throw refusedQuery('from', `must be before \`to\`, by at most ${MAX_DAYS} days`);
  return { fromMs, toMs };
}

type Counts = Record<RunStatus, number>;
const noRuns = (): Counts => ({ idle: 0, in_progress: 0, completed: 0, failed: 0, canceled: 0 });

/** Counts an org's runs by their status in periods of equal length. */
export async function statsOfRuns(
  db: Db,
  orgId: string,
  { workflow_id: workflowId, from, to, buckets: parts, by_workflow }: CountRuns,
) {
  const { fromMs, toMs } = rangeOf(from, to);
  const counted = { workflowId, fromMs, toMs };
  const periodMs = (toMs - fromMs) / parts;
  const buckets = Array.from({ length: parts }, (_, nth) => ({
    at: new Date(Math.round(fromMs + nth * periodMs)),
    ...noRuns(),
  }));
  const total = noRuns();
  for (const { nth, status, count } of await countByPeriod(db, orgId, { ...counted, periodMs })) {
    elementAt(buckets, Math.min(nth, parts - 1))[status] += count;
    total[status] += count;
  }
  const workflows = by_workflow === 'true' ? await countByWorkflow(db, orgId, counted) : undefined;
  return { from: new Date(fromMs), to: new Date(toMs), total, buckets, workflows };
}
