import { withoutParameters } from '../text/urls.rules.ts';
import { findFirst } from './content.ts';
import type { ExtractedPage } from './contract.ts';
import { directivesOf } from './robots-directives.rules.ts';
import { type Element, isElement, type Tree } from './tree.ts';

/** Metadata declared by a page. */
export interface PageMetadata extends Omit<ExtractedPage, 'markdown' | 'looksScripted' | 'readPart'> {
  /** Resolves a reference of the page to its absolute http(s) address. */
  resolve: (reference: string) => string | undefined;
}

const MAX_LINKS = 10_000;
const MAX_ADDRESS_LENGTH = 2_000;
const MAX_TITLE_LENGTH = 500;
const MAX_TITLE_ELEMENTS = 50;
const ROBOTS_META_NAMES = new Set(['robots', 'googlebot', 'switchboardbot']);
/** A page that stays longer before it leads on is meant to be read. */
const MAX_REFRESH_SECONDS = 10;
/** Language codes unknown to the API, mapped to its codes. */
const LANGUAGE_ALIASES: Record<string, string> = { nb: 'no', nn: 'no', fil: 'tl' };

interface CollectedMetadata {
  base: string | undefined;
  titles: string[];
  headings: Element[];
  metas: Map<string, string>;
  robots: string[];
  refresh: string | undefined;
  canonical: string | undefined;
  language: string | undefined;
  references: string[];
}

/** Reads a page's metadata and links. `url` is the address of the page. */
export function metadataOf(
  { root, references }: Tree,
  url: string,
  ignoredParameters: readonly string[] = [],
): PageMetadata {
  const metadata: CollectedMetadata = {
    base: undefined,
    titles: [],
    headings: [],
    metas: new Map(),
    robots: [],
    refresh: undefined,
    canonical: undefined,
    language: undefined,
    references: [],
  };
  collect(root, metadata);
  const base = createResolver(url)(metadata.base ?? '') ?? url;
  const { host } = new URL(url);
  const resolveAny = createResolver(base, (link) =>
    link.host === host ? withoutParameters(link, ignoredParameters) : link,
  );
  const resolve = (reference: string) => {
    const address = resolveAny(reference);
    return address !== undefined && address.length <= MAX_ADDRESS_LENGTH ? address : undefined;
  };
  return {
    title: titleOf(metadata, url),
    language: languageOf(
      metadata.language ?? metadata.metas.get('content-language') ?? metadata.metas.get('og:locale'),
    ),
    canonical: (metadata.canonical === undefined ? undefined : resolve(metadata.canonical)) ?? null,
    ...directivesOf(metadata.robots.join(',')),
    ...linksOf([...metadata.references, ...references], resolveAny),
    refresh: refreshOf(metadata.refresh, resolve),
    resolve,
  };
}

function collect(element: Element, metadata: CollectedMetadata): void {
  for (const child of element.children) {
    if (!isElement(child)) continue;
    const { name, attributes } = child;
    if (name === 'a' || name === 'area') {
      if (attributes.href !== undefined) metadata.references.push(attributes.href);
    } else if (name === 'meta') collectMeta(attributes, metadata);
    else if (name === 'link') {
      if (/(?:^|\s)canonical(?:$|\s)/i.test(attributes.rel ?? '')) metadata.canonical ??= attributes.href;
    } else if (name === 'base') metadata.base ??= attributes.href;
    else if (name === 'html') metadata.language = attributes.lang ?? attributes['xml:lang'];
    else if (name === 'title' && metadata.titles.length < MAX_TITLE_ELEMENTS) metadata.titles.push(allTextOf(child));
    else if (name === 'h1' && metadata.headings.length < MAX_TITLE_ELEMENTS) metadata.headings.push(child);
    collect(child, metadata);
  }
}

function collectMeta(attributes: Record<string, string>, metadata: CollectedMetadata): void {
  const { content } = attributes;
  if (content === undefined) return;
  const name = (attributes.name ?? attributes.property ?? attributes['http-equiv'] ?? '').toLowerCase();
  if (ROBOTS_META_NAMES.has(name)) metadata.robots.push(content);
  else if (name === 'refresh') metadata.refresh ??= content;
  else if (!metadata.metas.has(name)) metadata.metas.set(name, content);
}

/**
 * Returns a heading repeated in the title, otherwise the og:title (usually without the site name), the title, the first
 * heading or the path.
 */
function titleOf({ titles, headings, metas }: CollectedMetadata, url: string): string {
  const title = collapse(titles[0] ?? '');
  const texts = headings.map((heading) => collapse(allTextOf(heading))).filter((text) => text !== '');
  const repeated = texts.find((text) => text.length > 2 && title.toLowerCase().includes(text.toLowerCase()));
  const chosen = repeated ?? (collapse(metas.get('og:title') ?? '') || title || texts[0] || new URL(url).pathname);
  return chosen.length <= MAX_TITLE_LENGTH
    ? chosen
    : `${chosen
        .slice(0, MAX_TITLE_LENGTH - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`;
}

/** Returns the language as ISO 639-1, in the API's codes. */
function languageOf(tag: string | undefined): string | null {
  try {
    const { language } = new Intl.Locale((tag ?? '').trim().replaceAll('_', '-'));
    const known = LANGUAGE_ALIASES[language] ?? language;
    return known.length === 2 ? known : null;
  } catch {
    return null; // not a language tag
  }
}

/** Returns the distinct links. Of one that is too long, only the beginning is kept, which is still too long. */
function linksOf(references: string[], resolve: PageMetadata['resolve']): Pick<PageMetadata, 'links' | 'cutLinks'> {
  const links = new Set<string>();
  for (const [nth, reference] of references.entries()) {
    if (links.size >= MAX_LINKS) return { links: [...links], cutLinks: references.length - nth };
    const link = resolve(reference);
    if (link !== undefined) links.add(link.replace(/#.*$/s, '').slice(0, MAX_ADDRESS_LENGTH + 1));
  }
  return { links: [...links], cutLinks: 0 };
}

function refreshOf(content: string | undefined, resolve: PageMetadata['resolve']): string | null {
  const [, seconds, target] = /^\s*([\d.]*)\s*[;,]?\s*(?:url\s*=\s*)?["']?([^"']*)/i.exec(content ?? '') ?? [];
  if (!target?.trim() || Number.parseFloat(seconds ?? '') > MAX_REFRESH_SECONDS) return null;
  return resolve(target.trim()) ?? null;
}

/** Resolves references to http(s) against an address. Results are cached, because pages repeat references. */
function createResolver(base: string, clean = (link: URL): URL => link): PageMetadata['resolve'] {
  const resolved = new Map<string, string | undefined>();
  return (reference) => {
    if (resolved.has(reference)) return resolved.get(reference);
    const url = URL.parse(reference.trim(), base);
    const isOfTheWeb = url !== null && /^https?:$/.test(url.protocol);
    const address = isOfTheWeb ? clean(url).href : undefined;
    resolved.set(reference, address);
    return address;
  };
}

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();

function allTextOf(element: Element): string {
  return element.children.map((child) => (isElement(child) ? allTextOf(child) : child)).join(' ');
}

/** Whether a browser would show more: the page has little text, and either an empty container or mostly scripts. */
export function looksScripted({ root, scriptLength }: Tree, pageLength: number): boolean {
  const body = findFirst(root, ({ name }) => name === 'body') ?? root;
  if (readableLength(body) >= 200) return false;
  const isMostlyScript = scriptLength > pageLength / 2;
  const hasEmptyPlace = findFirst(
    body,
    ({ attributes, textLength }) => textLength < 50 && APP_ROOT_IDS.has(attributes.id ?? ''),
  );
  return isMostlyScript || hasEmptyPlace !== undefined;
}

const APP_ROOT_IDS = new Set([
  'root',
  'app',
  '__next',
  '__nuxt',
  '___gatsby',
  'react-root',
  'app-root',
  'application',
  'main-app',
]);

const readableLength = (body: Element) =>
  body.textLength -
  body.children
    .filter(isElement)
    .reduce((sum, { name, textLength }) => sum + (name === 'noscript' ? textLength : 0), 0);
