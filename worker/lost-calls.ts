import type { FastifyBaseLogger } from 'fastify';
import { endLostCalls, type LostCallDeps } from '../src/deliveries/callbacks/lost-calls.service.ts';
import { runPeriodically } from './periodically.ts';

const INTERVAL_MS = 60_000;

/** Asks for the end of phone calls that no report has told. Every worker does so: a call is claimed by one. */
export function startEndingLostCalls(deps: LostCallDeps & { log: Pick<FastifyBaseLogger, 'warn'> }): () => void {
  const endAll = async (signal: AbortSignal) => {
    while (!signal.aborted && (await endLostCalls(deps)) > 0);
  };
  const failure = 'the ends of phone calls could not be looked for; retrying later';
  return runPeriodically(endAll, { intervalMs: INTERVAL_MS, beginsAtOnce: true, failure, log: deps.log });
}
