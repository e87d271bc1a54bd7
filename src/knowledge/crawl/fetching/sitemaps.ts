import { once } from 'node:events';
import { createGunzip } from 'node:zlib';
import { Parser } from 'htmlparser2';
import type { Egress } from '../../../providers/egress/egress.ts';
import { EgressError } from '../../../providers/egress/egress.ts';
import { MAX_URL_LENGTH } from '../scope/urls.rules.ts';
import { USER_AGENT } from './robots.ts';

/** Limits of the protocol (sitemaps.org). */
const MAX_BYTES = 50 * 1024 * 1024;
const MAX_URLS = 50_000;
const TIMEOUT_MS = 60_000;
/** A sitemap has three levels. The parser's cost for each tag grows with the depth. */
const MAX_DEPTH = 16;
const GZIP = [0x1f, 0x8b];

export interface Sitemap {
  urls: string[];
  /** The sitemaps listed by an index. */
  sitemaps: string[];
  /** It has more than a limit of size, count, depth or time allows, or ended early. */
  isCut: boolean;
}

const EMPTY_SITEMAP: Sitemap = { urls: [], sitemaps: [], isCut: false };

/** Parses a sitemap's text piece by piece. */
interface SitemapReader {
  /** Returns false once the limit of URLs or of depth is exceeded. */
  write(text: string): boolean;
  end(): Omit<Sitemap, 'isCut'>;
}

/**
 * Returns the entries of a sitemap or sitemap index, as XML or text, compressed or not. Returns an empty result if the
 * file is missing or unreadable.
 */
export async function fetchSitemap(egress: Egress, url: string): Promise<Sitemap> {
  const decoder = new TextDecoder();
  const gunzip = createGunzip();
  let reader: SitemapReader | undefined;
  let isPacked: boolean | undefined;
  let unpacked = 0;
  let isCut = false;
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
    await egress.download(url, {
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
  }
  if (isPacked) {
    gunzip.end();
    await isUnpacked;
  }
  gunzip.destroy();
  if (reader === undefined) return EMPTY_SITEMAP;
  const { urls, sitemaps } = reader.end();
  return { urls: urls.slice(0, MAX_URLS), sitemaps, isCut };
}

function createXmlReader(): SitemapReader {
  const found: Omit<Sitemap, 'isCut'> = { urls: [], sitemaps: [] };
  const open: string[] = [];
  let location: string | undefined;
  const parser = new Parser(
    {
      onopentagname(name) {
        open.push(name);
        if (open.length > MAX_DEPTH) parser.pause();
        if (name === 'loc') location = '';
      },
      ontext(text) {
        if (location !== undefined && location.length <= MAX_URL_LENGTH) location += text;
      },
      onclosetag(name) {
        open.pop();
        if (name !== 'loc' || location === undefined) return;
        const list = open.at(-1) === 'sitemap' ? found.sitemaps : found.urls;
        if (list.length <= MAX_URLS) list.push(location.trim());
        location = undefined;
      },
    },
    { xmlMode: true },
  );
  return {
    write(text) {
      parser.write(text);
      return found.urls.length <= MAX_URLS && open.length <= MAX_DEPTH;
    },
    end() {
      if (open.length <= MAX_DEPTH) parser.end();
      return found;
    },
  };
}

function createLineReader(): SitemapReader {
  const urls: string[] = [];
  let rest = '';
  return {
    write(text) {
      const lines = (rest + text).split(/\r?\n/);
      rest = (lines.pop() ?? '').slice(0, MAX_URL_LENGTH + 1);
      for (const line of lines) if (urls.length <= MAX_URLS && line !== '') urls.push(line.trim());
      return urls.length <= MAX_URLS;
    },
    end: () => ({ urls: rest === '' ? urls : [...urls, rest.trim()], sitemaps: [] }),
  };
}
