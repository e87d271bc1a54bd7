import { Resolver, lookup as systemLookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { hasNoRecord } from './dns.ts';

const HOSTS_FILE = '/etc/hosts';
const TIMEOUT_MS = 2_000;
const MAX_TRIES = 2;

/** Finds all addresses of a host. Throws if it has none, or if DNS does not answer. */
export type HostLookup = (host: string) => Promise<string[]>;

export interface HostLookupOptions {
  /** Resolvers as in DnsOptions. */
  servers?: string[];
  /** What the system knows. */
  askSystem?: HostLookup;
}

/**
 * Finds addresses by asking DNS over sockets of its own. The system's function occupies one of a few threads of the process
 * for as long as a name server does not answer, so that the names of one org could delay all connections of all others. It
 * is asked for what stands in the hosts file, and, one name after the other, for what DNS does not know: names of a search
 * domain or of the local network.
 */
export function createHostLookup({ servers = [], askSystem = systemAddressesOf }: HostLookupOptions = {}): HostLookup {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, maxTimeout: TIMEOUT_MS, tries: MAX_TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  const listed = listedHosts();
  let lastAsked: Promise<unknown> = Promise.resolve();

  return async (host) => {
    if (listed.has(host.toLowerCase())) return askSystem(host);
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const failed = answers.find((answer) => answer.status === 'rejected' && !hasNoRecord(answer.reason));
    if (failed?.status === 'rejected') throw failed.reason;
    const asked = lastAsked.then(() => askSystem(host));
    lastAsked = asked.catch(() => undefined);
    return asked;
  };
}

const systemAddressesOf: HostLookup = async (host) =>
  (await systemLookup(host, { all: true })).map(({ address }) => address);

/** Returns the names of the system's hosts file. */
function listedHosts(): Set<string> {
  try {
    const lines = readFileSync(HOSTS_FILE, 'utf8').split('\n');
    return new Set(lines.flatMap((line) => line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/).slice(1)));
  } catch {
    return new Set();
  }
}
