import { once } from 'node:events';
import { createGunzip } from 'node:zlib';
import type { Egress } from '../../providers/egress/egress.ts';
import { EgressError } from '../../providers/egress/egress.ts';
import { USER_AGENT } from './robots.ts';
import {
  createLineReader,
  createXmlReader,
  MAX_URLS,
  type SitemapEntries,
  type SitemapReader,
} from './sitemap-readers.ts';

/** Limit of the protocol (sitemaps.org). */
const MAX_BYTES = 50 * 1024 * 1024;
const TIMEOUT_MS = 60_000;
const GZIP = [0x1f, 0x8b];

/** The addresses in a sitemap, absolute. */
export interface Sitemap extends SitemapEntries {
  /** It has more than a limit of size, count, depth or time allows, or ended early. */
  isCut: boolean;
  /** Why it gives no address, as a sentence. Null if it gives one. */
  problem: string | null;
  /** The status of the response. Null if there was none. */
  status: number | null;
}

/**
 * Returns the entries of a sitemap, a sitemap index or a feed, as XML or text, compressed or not. If it gives no address,
 * the result says why.
 */
export async function fetchSitemap(egress: Egress, url: string): Promise<Sitemap> {
  const decoder = new TextDecoder();
  const gunzip = createGunzip();
  let reader: SitemapReader | undefined;
  let isPacked: boolean | undefined;
  let unpacked = 0;
  let isCut = false;
  let answer: { status: number | null; url: string } = { status: null, url };
  let failure: string | undefined;
  const read = (piece: Buffer) => {
    unpacked += piece.length;
    const text = decoder.decode(piece, { stream: true });
    reader ??= text.trimStart().startsWith('<') ? createXmlReader() : createLineReader();
    isCut ||= !reader.write(text) || unpacked > MAX_BYTES;
    return !isCut;
  };
  const deadline = performance.now() + TIMEOUT_MS;
  gunzip.on('data', (piece: Buffer) => {
    isCut ||= performance.now() > deadline;
    if (!read(piece)) gunzip.destroy();
  });
  const isUnpacked = once(gunzip, 'close').catch(() => undefined);

  try {
    answer = await egress.download(url, {
      headers: { 'user-agent': USER_AGENT },
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      onChunk(piece) {
        isPacked ??= GZIP.every((byte, index) => piece[index] === byte);
        if (!isPacked) return read(piece);
        if (!gunzip.destroyed) gunzip.write(piece);
        return !gunzip.destroyed;
      },
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    isCut = reader !== undefined;
    failure = error.message;
  }
  if (isPacked) {
    gunzip.end();
    await isUnpacked;
  }
  gunzip.destroy();
  const listed = reader?.end() ?? { urls: [], sitemaps: [] };
  const entries = {
    urls: absoluteOf(listed.urls, answer.url).slice(0, MAX_URLS),
    sitemaps: absoluteOf(listed.sitemaps, answer.url),
  };
  const { status } = answer;
  const isEmpty = entries.urls.length + entries.sitemaps.length === 0;
  const problem = isEmpty ? (failure ?? problemOf(reader, { status, isPacked, isCut })) : null;
  return { ...entries, isCut, status, problem };
}

function problemOf(
  reader: SitemapReader | undefined,
  { status, isPacked, isCut }: { status: number | null; isPacked: boolean | undefined; isCut: boolean },
): string {
  if (status !== null && (status < 200 || status >= 300)) return `It was answered with status ${status}`;
  if (reader === undefined) return isPacked ? 'It cannot be unpacked' : 'It is empty';
  return isCut ? 'It exceeds a limit before its first address' : reader.problem();
}

/** Resolves addresses against the sitemap's. A text with spaces is a relative address by mistake only. */
const absoluteOf = (addresses: string[], base: string): string[] =>
  addresses.flatMap(
    (address) => (URL.parse(address) ?? (/\s/.test(address) ? null : URL.parse(address, base)))?.href ?? [],
  );
