import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../src/config.ts';
import type { Db } from '../src/db/connect.ts';
import { checkVerifiedDomains } from '../src/deliveries/email-domains/service.ts';
import { createDns } from '../src/providers/egress/dns.ts';
import { runPeriodically } from './periodically.ts';

const INTERVAL_MS = 10 * 60_000;

/** Looks at the DNS records of verified sending domains again, each daily. The returned function stops it. */
export function startDomainChecks(
  db: Db,
  { DNS_SERVERS }: Pick<Config, 'DNS_SERVERS'>,
  log: Pick<FastifyBaseLogger, 'warn'>,
): () => void {
  const dns = createDns({ servers: DNS_SERVERS });
  const check = async () => {
    for (const lost of await checkVerifiedDomains(db, dns)) log.warn(lost, 'a sending domain is no longer verified');
  };
  const failure = 'sending domains could not be checked; retrying later';
  return runPeriodically(check, { intervalMs: INTERVAL_MS, failure, log });
}
