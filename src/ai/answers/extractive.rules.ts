import { addressesOf } from './figures.rules.ts';
import { plainTextOf } from './plain-text.rules.ts';

/** The agent name of answers by quotes alone. */
export const EXTRACTIVE_AGENT = 'extractive-1';

/** Pages from this share of the threshold on are worth a look. */
const PAGE_SHARE = 0.4;
/** A second item is quoted too if its score is about as good as the first's. */
const SECOND_SHARE = 0.85;
/** Pages are shown with the best one if they have this share of its score. */
const PAGE_SCORE_SHARE = 0.5;
const MAX_QUOTE_CHARACTERS = 600;
const MAX_PAGES = 3;

/** A passage of the org's knowledge. Offsets count UTF-16 code units. */
export interface PassageForQuote {
  item_id: string;
  chunk: number;
  url: string | null;
  title: string;
  heading: string;
  content: string;
  /** The place of `content` in its item. */
  start: number;
  /** SHA-256 of `content`, in hex. */
  hash: string;
  /** The score by words. */
  words: number;
  /** The sentences of `content`. */
  sentences: { start: number; end: number }[];
  /** The start in `content` of the sentence with most words of the question. */
  bestSentence: number;
}

/** A part of an item, unchanged, or a page to look at. */
export interface QuotedSource {
  item_id: string;
  chunk: number;
  url: string | null;
  title: string;
  heading: string;
  /** Null for a page to look at. */
  quote: string | null;
  start_offset: number;
  end_offset: number;
  hash: string;
}

export interface ExtractiveAnswer {
  kind: 'answered' | 'may_help' | 'nothing';
  /** The confidence in the best passage as the answer. */
  score: number;
  /** The lowest confidence of an answer. */
  threshold: number;
  sources: QuotedSource[];
  /** The passages considered. */
  passages: { item_id: string; chunk: number; score: number; title: string }[];
}

/**
 * Chooses a reply from passages, best first: at most two quotes of two items if the confidence reaches the threshold,
 * or else at most three pages as pointers.
 */
export function selectQuotes(
  passages: PassageForQuote[],
  { score, threshold }: { score: number; threshold: number },
): ExtractiveAnswer {
  const looked = passages.map(({ item_id, chunk, words, title }) => ({ item_id, chunk, score: words, title }));
  const found = { score, threshold, passages: looked };
  const items = passages.filter(({ item_id }, place) => passages.findIndex((one) => one.item_id === item_id) === place);
  const [best, second] = items;
  if (best === undefined || score < threshold * PAGE_SHARE) return { kind: 'nothing', sources: [], ...found };
  if (score >= threshold) {
    const quoted =
      second !== undefined && second.words > 0 && second.words >= best.words * SECOND_SHARE ? [best, second] : [best];
    return { kind: 'answered', sources: quoted.map(quoteOf), ...found };
  }
  const pages = items.filter(({ url, words }) => url !== null && words >= best.words * PAGE_SCORE_SHARE);
  return { kind: pages.length > 0 ? 'may_help' : 'nothing', sources: pages.slice(0, MAX_PAGES).map(pageOf), ...found };
}

/** Quotes the best sentence of a passage and those after it, as long as they fit; a short passage as a whole. */
function quoteOf(passage: PassageForQuote): QuotedSource {
  const { content, sentences, bestSentence } = passage;
  const whole = content.length <= MAX_QUOTE_CHARACTERS;
  const from = whole ? 0 : bestSentence;
  const fitting = sentences.filter(({ start, end }) => start >= from && end - from <= MAX_QUOTE_CHARACTERS);
  const to = whole ? content.length : (fitting.at(-1)?.end ?? from + MAX_QUOTE_CHARACTERS);
  const quote = content.slice(from, to).toWellFormed();
  return { ...sourceOf(passage), quote, start_offset: passage.start + from, end_offset: passage.start + to };
}

const pageOf = (passage: PassageForQuote): QuotedSource => ({
  ...sourceOf(passage),
  quote: null,
  start_offset: passage.start,
  end_offset: passage.start + passage.content.length,
});

const sourceOf = ({ item_id, chunk, url, title, heading, hash }: PassageForQuote) => ({
  item_id,
  chunk,
  url,
  title,
  heading,
  hash,
});

/** The format of a text at its destination. */
export type TextFormat = 'markdown' | 'plain';

/** Channels with Markdown-capable clients. The others get plain text. */
const MARKDOWN_CHANNELS: readonly string[] = ['web', 'api'];

/**
 * Returns how texts are shown in a session. A relayed session gets plain text: the other system shows no Markdown to
 * the customer.
 */
export const formatOf = ({ channel, relayed_side }: { channel: string; relayed_side: string | null }): TextFormat => {
  const isRelayed = relayed_side === 'customer' || relayed_side === 'both';
  return MARKDOWN_CHANNELS.includes(channel) && !isRelayed ? 'markdown' : 'plain';
};

/** Returns a message of a fixed sentence and its sources, as quotes or as pointers. */
export const renderSources = (sentence: string, sources: QuotedSource[], format: TextFormat): string =>
  [sentence, ...sources.map((source) => renderSource(source, format))].join('\n\n');

function renderSource({ quote, title, url }: QuotedSource, format: TextFormat): string {
  const link = linkOf({ title, url }, format);
  if (quote === null) return `- ${link}`;
  const text = withoutMarkup(quote, { url, format });
  if (format === 'plain') return `${text}\n${link}`;
  return `${text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')}\n\n${link}`;
}

/** Returns the name of a source, with a link to its address if it has one. */
export function linkOf({ title, url }: { title: string; url: string | null }, format: TextFormat): string {
  const name = withoutTags(title).replace(/\s+/g, ' ').trim();
  if (url === null || !/^https?:\/\//.test(url)) return format === 'plain' ? name : escapeMarkdown(name);
  const address = url.replace(/[\s()<>\\[\]]/g, (character) =>
    encodeURIComponent(character).replace('(', '%28').replace(')', '%29'),
  );
  return format === 'plain' ? `${name}: ${address}` : `[${escapeMarkdown(name)}](${address})`;
}

/**
 * Takes images and HTML out of a quote, and of its links all but the text: only our own links lead anywhere. Addresses
 * of other sites are left out, as clients make links of them. A quote that hides one behind signs of Markdown loses these.
 */
function withoutMarkup(markdown: string, { url, format }: { url: string | null; format: TextFormat }): string {
  if (format === 'plain') return withoutTags(withoutAddresses(plainTextOf(markdown), url));
  const shown = withoutAddresses(markdown, url);
  const read = plainTextOf(shown);
  const safe = withoutAddresses(read, url);
  return withoutTags(safe === read ? shown : safe).replace(/[[\]]/g, (sign) => `\\${sign}`);
}

/** Returns a text without the addresses of links, and of other sites than that of `url`. */
function withoutAddresses(text: string, url: string | null): string {
  const unlinked = text
    .replace(/!?\[([^\]]{0,500})\]\([^)]{0,2000}\)/g, '$1')
    .replace(/(?:https?:\/\/|www\.|javascript:)[^\s<>"')\]]{0,2000}/gi, (address) =>
      isOfSite(address, url) ? address : LEFT_OUT,
    );
  const foreign = addressesOf(unlinked).filter((address) => !isOfSite(address, url));
  return foreign.reduce((rest, address) => rest.replaceAll(address, LEFT_OUT), unlinked);
}

const withoutTags = (text: string): string => text.replace(/[<>]/g, (sign) => (sign === '<' ? '‹' : '›'));

const LEFT_OUT = '(…)';

function isOfSite(address: string, url: string | null): boolean {
  if (url === null) return false;
  const target = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}`);
  const own = URL.parse(url);
  return target !== null && own !== null && /^https?:$/.test(target.protocol) && target.host === own.host;
}

const escapeMarkdown = (text: string): string => text.replace(/[\\`*_{}[\]()#+!|<>~-]/g, (sign) => `\\${sign}`);
