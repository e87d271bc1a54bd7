import type { FaultOrg } from '../../faults/support/fault-org.ts';
import type { HostileSites } from './sites.ts';

const TIMEOUT_MS = 20_000;

/** An org, and visitors without a key, that send what they can. Calls return the status of the answer. */
export interface Attacker {
  org: FaultOrg;
  sites: HostileSites;
  call(method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<number>;
  /** Sends as a visitor, and reads the complete answer. */
  visit(path: string, request?: RequestInit): Promise<number>;
  /** Returns the headers of a new visitor of the org's widget. */
  visitorHeaders(): Promise<Record<string, string>>;
  /** Opens a stream, and keeps it open. */
  stream(path: string): Promise<number>;
  /** Closes the streams and ends the crawls: each attack is measured alone. */
  end(): Promise<void>;
}

export function attackerOf(org: FaultOrg, url: string, sites: HostileSites): Attacker {
  const streams = new AbortController();
  return {
    org,
    sites,
    call: async (...request) => (await org.call(...request)).status,
    async visit(path, request) {
      const answer = await fetch(`${url}${path}`, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) });
      await answer.arrayBuffer();
      return answer.status;
    },
    async visitorHeaders() {
      const bot = { 'x-bot-token': org.widgetToken, origin: 'https://shop.example' };
      const answer = await fetch(`${url}/backend/widget/v2/contact/create-unverified`, {
        method: 'POST',
        headers: { ...bot, 'content-type': 'application/json' },
        body: '{}',
      });
      const { token } = (await answer.json()) as { token: string };
      return { ...bot, authorization: `Bearer ${token}` };
    },
    async stream(path) {
      const headers = { authorization: `Bearer ${org.key}` };
      return (await fetch(`${url}${path}`, { headers, signal: streams.signal })).status;
    },
    async end() {
      streams.abort();
      const { body } = await org.call('GET', '/crawl');
      for (const { id } of body.items ?? []) await org.call('DELETE', `/crawl/${id}`);
    },
  };
}
