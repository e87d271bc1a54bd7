import type { FastifyBaseLogger } from 'fastify';
import { renewExpiringTokens } from '../src/crm/salesforce/renewal.service.ts';
import type { Db } from '../src/db/connect.ts';

const INTERVAL_MS = 50_000;

/** Renews tokens before they expire. Every worker does so: renewing twice is harmless. The returned function stops it. */
export function startTokenRenewal(db: Db, log: Pick<FastifyBaseLogger, 'warn'>): () => void {
  const renew = () =>
    renewExpiringTokens(db).catch((error: unknown) =>
      log.warn({ err: error }, 'expiring tokens could not be looked for; retrying later'),
    );
  const timer = setInterval(() => void renew(), INTERVAL_MS);
  return () => clearInterval(timer);
}
