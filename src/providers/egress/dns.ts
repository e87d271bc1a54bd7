import { Resolver } from 'node:dns/promises';
import { ProviderError } from '../../errors.ts';

const TIMEOUT_MS = 5_000;
const MAX_TRIES = 2;
/** DNS said that there is nothing: no such name, or no such record at it. */
const NOTHING_THERE = new Set(['ENOTFOUND', 'ENODATA']);

export interface Dns {
  /** The texts at a name, each with its strings joined; none where DNS says that there are none. Throws ProviderError where it says nothing. */
  resolveTxt(name: string): Promise<string[]>;
}

export interface DnsOptions {
  /** Resolvers as `ip`, `ip:port` or `[ip]:port`; the system's where there are none. */
  servers: string[];
  /** How long each server has for each of two tries. */
  timeoutMs?: number;
}

/** Asks resolvers over the network (RFC 1035), never the system's hosts file. */
export function createDns({ servers, timeoutMs = TIMEOUT_MS }: DnsOptions): Dns {
  const resolver = new Resolver({ timeout: timeoutMs, maxTimeout: timeoutMs, tries: MAX_TRIES });
  if (servers.length > 0) resolver.setServers(servers);

  return {
    async resolveTxt(name) {
      try {
        const texts = await resolver.resolveTxt(name);
        return texts.map((strings) => strings.join(''));
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        if (NOTHING_THERE.has(code)) return [];
        throw new ProviderError(`DNS gave no answer for ${name} (${code})`, { transient: true, cause: error });
      }
    },
  };
}
