import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../src/config.ts';
import type { Db } from '../src/db/connect.ts';
import { checkVerifiedDomains } from '../src/deliveries/email-domains/service.ts';
import { createDns } from '../src/providers/egress/dns.ts';

const INTERVAL_MS = 10 * 60_000;

/** Looks at the DNS records of verified sending domains again, each daily. The returned function stops it. */
export function startDomainChecks(
  db: Db,
  { DNS_SERVERS }: Pick<Config, 'DNS_SERVERS'>,
  log: Pick<FastifyBaseLogger, 'warn'>,
): () => void {
  const dns = createDns({ servers: DNS_SERVERS });
  let isBusy = false;
  const check = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      for (const lost of await checkVerifiedDomains(db, dns)) log.warn(lost, 'a sending domain is no longer verified');
    } catch (error) {
      log.warn({ err: error }, 'sending domains could not be checked; retrying later');
    } finally {
      isBusy = false;
    }
  };
  const timer = setInterval(() => void check(), INTERVAL_MS);
  return () => clearInterval(timer);
}
