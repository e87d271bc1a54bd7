import type { Config } from '../../config.ts';
import { connect } from '../../db/connect.ts';
import { createDns } from '../../providers/egress/dns.ts';
import { examineDatabase } from './database-checks.ts';
import { examineDisk } from './disk-checks.ts';
import type { Finding } from './findings.ts';
import { examineNetwork } from './network-checks.ts';
import { examineTemporal } from './temporal-checks.ts';

const DNS_TIMEOUT_MS = 2_000;

/** Checks the whole setup. It changes nothing, and finds all faults at once. */
export async function examineSetup(config: Config): Promise<Finding[]> {
  const { db, close } = connect(config.DATABASE_URL, { poolSize: 2 });
  try {
    const database = await examineDatabase(db, config);
    const isUsable = database.every(({ check, state }) => state !== 'fault' || !['Postgres', 'schema'].includes(check));
    const dns = createDns({ servers: config.DNS_SERVERS, timeoutMs: DNS_TIMEOUT_MS });
    const [temporal, network, disk] = await Promise.all([
      examineTemporal(isUsable ? db : undefined, config),
      examineNetwork(config, dns),
      examineDisk(config),
    ]);
    return [{ check: 'settings', state: 'ok', found: 'valid' }, ...database, ...temporal, ...network, disk];
  } finally {
    await close();
  }
}
