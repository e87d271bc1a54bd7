import type { PreviewedTurn } from '../ai/preview/schema.ts';
import { previewTurn } from '../ai/preview/service.ts';
import { withDefaults } from '../ai/settings/service.ts';
import type { DecisionDeps } from '../ai/turns/deps.ts';
import { isDatabaseUnavailable } from '../db/failures.ts';
import { DomainError, notFound } from '../errors.ts';
import { evaluateChecks } from './checks.rules.ts';
import type { EvalProgress, EvalRunRef } from './contract.ts';
import { findRun, listWaiting, type NewResult, type RunRow, storeResult } from './runs.queries.ts';
import { finishRun } from './runs.service.ts';
import type { EvalDefinition } from './table.ts';

/** Cases that are run at once. Providers limit the calls of a key. */
const CASES_PER_BATCH = 4;
const TIMEOUT_MS = 120_000;

/**
 * Runs the next cases of a run, and returns how far it is. Repeated, it runs only cases without a result, so that each has
 * one. Ends the run behind the last case.
 */
export async function runNextCases(deps: DecisionDeps, ref: EvalRunRef, signal: AbortSignal): Promise<EvalProgress> {
  const { db } = deps;
  const { orgId, runId } = ref;
  const run = await findRun(db, orgId, runId);
  if (run === undefined) throw notFound('run');
  const next = run.ended_at === null ? await listWaiting(db, orgId, runId, CASES_PER_BATCH) : [];
  await Promise.all(
    next.map(async ({ position, definition }) => {
      const result = await runCase(deps, orgId, run, definition, signal);
      await storeResult(db, { orgId, runId, position }, result);
    }),
  );
  if (next.length === 0) await finishRun(db, orgId, runId);
  const { cases, passed, failed } = (await findRun(db, orgId, runId)) ?? run;
  return { cases, passed, failed, isOver: next.length === 0 };
}

/** Runs a case. Throws only the reason of the signal, and while the database is away. */
async function runCase(
  deps: DecisionDeps,
  orgId: string,
  { config, config_version }: RunRow,
  definition: EvalDefinition | null,
  signal: AbortSignal,
): Promise<NewResult> {
  if (definition === null) return failed('It was redacted', 0);
  const { contact_id, checks, ...conversation } = definition;
  const startedAt = performance.now();
  const latencyMs = () => Math.round(performance.now() - startedAt);
  const tooLate = AbortSignal.timeout(TIMEOUT_MS);
  const terms = { settings: withDefaults(config), version: config_version, purpose: 'eval' as const };
  const preview = { ...conversation, ...(contact_id !== null && { contact_id }) };
  try {
    const turn = await previewTurn(deps, orgId, preview, terms, AbortSignal.any([signal, tooLate]));
    return judged(turn, checks, latencyMs());
  } catch (error) {
    if (signal.aborted) throw error;
    if (tooLate.aborted) return failed(`It took longer than ${TIMEOUT_MS / 1_000} seconds`, latencyMs());
    if (isDatabaseUnavailable(error)) throw error;
    return failed(error instanceof DomainError ? error.message : 'It could not be decided', latencyMs());
  }
}

const failed = (error: string, latencyMs: number): NewResult => ({
  state: 'failed',
  checks: [],
  error,
  turn: null,
  cost: null,
  latencyMs,
});

function judged(turn: PreviewedTurn, wanted: EvalDefinition['checks'], latencyMs: number): NewResult {
  const calls = turn.steps.flatMap((step) => step.calls);
  const checks = evaluateChecks(wanted, { ...turn, calls, ms: latencyMs });
  const state = checks.every(({ passed }) => passed) ? 'passed' : 'failed';
  return { state, checks, error: null, turn, cost: turn.cost, latencyMs };
}
