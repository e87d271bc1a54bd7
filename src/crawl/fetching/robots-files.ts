import type { Db } from '../../db/connect.ts';
import { type Egress, EgressError } from '../../providers/egress/egress.ts';
import { addressOfHeader } from '../../providers/egress/headers.rules.ts';
import type { PageReason } from '../reasons.rules.ts';
import { findRobots, saveRobots } from './hosts.shared.queries.ts';
import { MAX_ROBOTS_BYTES, parseRobots, type Robots, USER_AGENT } from './robots.ts';

const MS_PER_DAY = 24 * 60 * 60_000;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 10_000;

/** A site's robots.txt, or the reason for its failed request. After a failure nothing of the site may be fetched. */
export type RobotsResult = { robots: Robots } | { reason: PageReason };

export interface RobotsFiles {
  of(url: URL): Promise<RobotsResult>;
}

/** Reads each site's file once, from the cache if it is not older than `maxAgeMs`. */
export function createRobotsFiles(db: Db, egress: Egress, { maxAgeMs }: { maxAgeMs: number }): RobotsFiles {
  const answers = new Map<string, Promise<RobotsResult>>();

  async function ask(origin: string): Promise<RobotsResult> {
    const cached = await findRobots(db, origin);
    if (cached !== undefined && cached.age_ms < maxAgeMs) return { robots: parseRobots(origin, cached.content) };
    const fetched = await fetchRobots(egress, origin);
    if (typeof fetched !== 'string') {
      return cached !== undefined && cached.age_ms < MS_PER_DAY
        ? { robots: parseRobots(origin, cached.content) }
        : fetched;
    }
    await saveRobots(db, origin, fetched);
    return { robots: parseRobots(origin, fetched) };
  }

  return {
    of({ origin }) {
      const answer = answers.get(origin) ?? ask(origin);
      answers.set(origin, answer);
      return answer;
    },
  };
}

/** Returns the file's text. A missing file allows everything; an unreachable file allows nothing (RFC 9309, 2.3.1). */
async function fetchRobots(egress: Egress, origin: string): Promise<string | { reason: PageReason }> {
  let url = `${origin}/robots.txt`;
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const pieces: Buffer[] = [];
      let size = 0;
      const { status, headers } = await egress.download(url, {
        headers: { 'user-agent': USER_AGENT },
        maxBytes: 2 * MAX_ROBOTS_BYTES,
        timeoutMs: TIMEOUT_MS,
        redirects: 'manual',
        onChunk(piece) {
          pieces.push(piece);
          size += piece.length;
          return size < MAX_ROBOTS_BYTES;
        },
      });
      if (status >= 300 && status < 400) {
        const next = typeof headers.location === 'string' ? URL.parse(addressOfHeader(headers.location), url) : null;
        if (next === null) break;
        url = next.href;
        continue;
      }
      if (status >= 500 || status === 429) return { reason: 'robots_unreachable' };
      if (status >= 400) return '';
      return Buffer.concat(pieces).subarray(0, MAX_ROBOTS_BYTES).toString('utf8').replaceAll('\0', '');
    }
    return ''; // endless redirects count as a missing file
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return { reason: error.problem === 'refused' ? 'refused_address' : 'robots_unreachable' };
  }
}
