import { Resolver } from 'node:dns/promises';
import { codeOf, ProviderError } from '../../errors.ts';

const TIMEOUT_MS = 5_000;
const MAX_TRIES = 2;
/** DNS answers for a missing name or a missing record. */
const NO_RECORD_CODES = new Set(['ENOTFOUND', 'ENODATA']);

export interface Dns {
  /**
   * Returns the TXT values at a name, each with its strings joined. Returns none if DNS has none. Throws ProviderError
   * without a DNS answer.
   */
  resolveTxt(name: string): Promise<string[]>;
}

export interface NameResolver extends Dns {
  /** Returns the IP addresses of a name, or none. Throws like resolveTxt. */
  resolveAddresses(name: string): Promise<string[]>;
  /** Returns the mail servers of a domain, the preferred one first, or none. Throws like resolveTxt. */
  resolveMx(domain: string): Promise<string[]>;
}

export interface DnsOptions {
  /** Resolvers as `ip`, `ip:port` or `[ip]:port`. If empty, the system's resolvers are used. */
  servers: string[];
  /** The timeout of each of two tries per server. */
  timeoutMs?: number;
}

/** Returns whether DNS has answered that there is no such name or record. */
export const hasNoRecord = (error: unknown): boolean => NO_RECORD_CODES.has(codeOf(error) ?? '');

/** Queries resolvers over the network (RFC 1035), never the system's hosts file. */
export function createDns({ servers, timeoutMs = TIMEOUT_MS }: DnsOptions): NameResolver {
  const resolver = new Resolver({ timeout: timeoutMs, maxTimeout: timeoutMs, tries: MAX_TRIES });
  if (servers.length > 0) resolver.setServers(servers);

  const resolve = async <Item>(name: string, read: () => Promise<Item[]>): Promise<Item[]> => {
    try {
      return await read();
    } catch (error) {
      if (hasNoRecord(error)) return [];
      throw new ProviderError(`DNS gave no answer for ${name} (${codeOf(error)})`, { transient: true, cause: error });
    }
  };

  return {
    resolveTxt: (name) =>
      resolve(name, async () => (await resolver.resolveTxt(name)).map((strings) => strings.join(''))),
    async resolveAddresses(name) {
      const [four, six] = await Promise.all([
        resolve(name, () => resolver.resolve4(name)),
        resolve(name, () => resolver.resolve6(name)),
      ]);
      return [...four, ...six];
    },
    resolveMx: (domain) =>
      resolve(domain, async () => {
        const records = await resolver.resolveMx(domain);
        return records.toSorted((one, other) => one.priority - other.priority).map(({ exchange }) => exchange);
      }),
  };
}
