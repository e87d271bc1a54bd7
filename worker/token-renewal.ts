import type { FastifyBaseLogger } from 'fastify';
import { renewExpiringTokens } from '../src/crm/salesforce/renewal.service.ts';
import type { Db } from '../src/db/connect.ts';
import { runPeriodically } from './periodically.ts';

const INTERVAL_MS = 50_000;

/** Renews tokens before they expire. Every worker does so: renewing twice is harmless. The returned function stops it. */
export function startTokenRenewal(db: Db, log: Pick<FastifyBaseLogger, 'warn'>): () => void {
  const failure = 'expiring tokens could not be looked for; retrying later';
  return runPeriodically(() => renewExpiringTokens(db), { intervalMs: INTERVAL_MS, failure, log });
}
