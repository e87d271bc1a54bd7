import { Parser } from 'htmlparser2';
import { MAX_URL_LENGTH } from '../scope/urls.rules.ts';

/** Limit of the protocol (sitemaps.org). */
export const MAX_URLS = 50_000;
/** A sitemap has three levels, and the texts in a feed more. The parser's cost for each tag grows with the depth. */
const MAX_DEPTH = 64;
/** A longer address is too long in any case. */
const MAX_READ_LENGTH = MAX_URL_LENGTH + 1;

export interface SitemapEntries {
  urls: string[];
  /** The sitemaps listed by an index. */
  sitemaps: string[];
}

/** Parses a sitemap's text piece by piece. */
export interface SitemapReader {
  /** Returns false once the limit of URLs or of depth is exceeded. */
  write(text: string): boolean;
  end(): SitemapEntries;
  /** What is wrong with a file that lists no address. */
  problem(): string;
}

const NO_ADDRESSES = 'It lists no addresses';

/** The elements that name a page or a sitemap, by their parents: of sitemaps, RSS and Atom (sitemaps.org). */
const LISTS = new Map<string, keyof SitemapEntries>([
  ['url loc', 'urls'],
  ['urlset loc', 'urls'],
  ['sitemap loc', 'sitemaps'],
  ['sitemapindex loc', 'sitemaps'],
  ['item link', 'urls'],
  ['entry link', 'urls'],
]);
const ROOTS = new Set(['urlset', 'sitemapindex', 'rss', 'rdf', 'feed']);

interface NamedAddress {
  list: keyof SitemapEntries;
  /** The number of open elements outside it. */
  depth: number;
  text: string;
  /** Atom has the address in an attribute. */
  href: string;
  relation: string;
}

/** Reads XML by local names: sites choose any prefix for the namespace of sitemaps. */
export function createXmlReader(): SitemapReader {
  const entries: SitemapEntries = { urls: [], sitemaps: [] };
  const open: string[] = [];
  let root: string | undefined;
  let address: NamedAddress | undefined;
  const parser = new Parser(
    {
      onopentagname(tag) {
        const name = localNameOf(tag);
        const list = listOf(name, open);
        if (list !== undefined) address = { list, depth: open.length, text: '', href: '', relation: 'alternate' };
        root ??= name;
        open.push(name);
        if (open.length > MAX_DEPTH) parser.pause();
      },
      onattribute(name, value) {
        if (address === undefined || open.length !== address.depth + 1) return;
        if (name === 'href') address.href = value.slice(0, MAX_READ_LENGTH);
        else if (name === 'rel') address.relation = value.trim().toLowerCase();
      },
      ontext(text) {
        if (address !== undefined && address.text.length < MAX_READ_LENGTH)
          address.text = (address.text + text.slice(0, MAX_READ_LENGTH)).trimStart();
      },
      onclosetag() {
        open.pop();
        if (address?.depth !== open.length) return;
        const { list, text, href, relation } = address;
        address = undefined;
        const named = text.trim() || (relation === 'alternate' ? href.trim() : '');
        if (named !== '' && entries[list].length <= MAX_URLS) entries[list].push(named.slice(0, MAX_READ_LENGTH));
      },
    },
    { xmlMode: true },
  );
  return {
    write(text) {
      parser.write(text);
      return entries.urls.length <= MAX_URLS && open.length <= MAX_DEPTH;
    },
    end() {
      if (open.length <= MAX_DEPTH) parser.end();
      return entries;
    },
    problem: () =>
      root !== undefined && ROOTS.has(root)
        ? NO_ADDRESSES
        : `It is neither a sitemap nor a feed: its first element is <${root?.slice(0, 50) ?? ''}>`,
  };
}

const localNameOf = (tag: string): string => tag.slice(tag.lastIndexOf(':') + 1).toLowerCase();

/** Returns the list of an element's address. What an index lists is a sitemap, even if it is called a page. */
function listOf(name: string, open: readonly string[]): keyof SitemapEntries | undefined {
  const list = LISTS.get(`${open.at(-1)} ${name}`);
  return list === 'urls' && open[0] === 'sitemapindex' ? 'sitemaps' : list;
}

/** Reads a text with an address in each line. */
export function createLineReader(): SitemapReader {
  const urls: string[] = [];
  let rest = '';
  const add = (line: string) => {
    const address = line.trim().slice(0, MAX_READ_LENGTH);
    if (/^(?:https?:|\/)/i.test(address) && urls.length <= MAX_URLS) urls.push(address);
  };
  return {
    write(text) {
      const lines = (rest + text).split(/\r\n|\r|\n/);
      rest = (lines.pop() ?? '').slice(0, MAX_READ_LENGTH);
      for (const line of lines) add(line);
      return urls.length <= MAX_URLS;
    },
    end() {
      add(rest);
      return { urls, sitemaps: [] };
    },
    problem: () => NO_ADDRESSES,
  };
}
