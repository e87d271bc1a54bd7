import type { Config } from '../../config.ts';
import { connect } from '../../db/connect.ts';
import { VERSION } from '../../operations/health.ts';
import { createDns } from '../../providers/egress/dns.ts';
import { examineDatabase } from './database-checks.ts';
import { examineDisk } from './disk-checks.ts';
import { type Finding, ok, warning } from './findings.ts';
import { examineMail } from './mail-checks.ts';
import { examineNetwork } from './network-checks.ts';
import { examineSecrets } from './secret-checks.ts';
import { withoutSecrets } from './secrets.rules.ts';
import { examineTemporal } from './temporal-checks.ts';
import { examineWork } from './work-checks.ts';

const DNS_TIMEOUT_MS = 2_000;
const TESTED_NODE = 24;

/** Checks the whole setup. It changes nothing, finds all faults at once, and shows no secret of the settings. */
export async function examineSetup(config: Config): Promise<Finding[]> {
  const { db, close } = connect(config.DATABASE_URL, { poolSize: 2 });
  try {
    const database = await examineDatabase(db, config);
    const isUsable = database.every(({ check, state }) => state !== 'fault' || !['Postgres', 'schema'].includes(check));
    const usable = isUsable ? db : undefined;
    const dns = createDns({ servers: config.DNS_SERVERS, timeoutMs: DNS_TIMEOUT_MS });
    const others = await Promise.all([
      examineTemporal(usable, config),
      examineWork(usable),
      examineSecrets(usable, config),
      examineNetwork(config, dns),
      examineMail(config, dns),
      examineDisk(usable, config),
    ]);
    const programs: Finding = { check: 'programs', ...judgeNode(process.versions.node) };
    const settings: Finding = { check: 'settings', ...ok('valid') };
    return withoutSecrets([settings, programs, ...database, ...others.flat()], config);
  } finally {
    await close();
  }
}

function judgeNode(version: string) {
  const found = `Switchboard ${VERSION} on Node ${version}`;
  return Number.parseInt(version, 10) === TESTED_NODE
    ? ok(found)
    : warning(found, `run them on Node ${TESTED_NODE}, which is what is tested`);
}
