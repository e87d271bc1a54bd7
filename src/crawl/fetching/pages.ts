import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { codeOf } from '../../errors.ts';
import { type Download, type Egress, EgressError, type EgressProblem } from '../../providers/egress/egress.ts';
import { addressOfHeader } from '../../providers/egress/headers.rules.ts';
import type { PageReason } from '../reasons.rules.ts';
import type { LoadedResource } from '../rendering/renderer.ts';
import { USER_AGENT } from './robots.ts';

const MAX_PAGE_BYTES = 5 * 1024 * 1024;

const TIMEOUT_MS = 10_000;
const MAX_LINK_HEADER = 10_000;
const MAX_RETRY_AFTER_MS = 60 * 60_000;
const HEADERS = {
  'user-agent': USER_AGENT,
  accept: 'text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,*/*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
};
const OWN_DIRECTIVE = new RegExp(`^\\s*${USER_AGENT}\\s*:`, 'i');
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const REASON_OF: Record<EgressProblem, PageReason> = {
  refused: 'refused_address',
  too_large: 'too_large',
  timeout: 'timeout',
  unreachable: 'unreachable',
};
type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;
const decodeGzip: Decoder = promisify<Buffer, object, Buffer>(gunzip);
const decodeZlib: Decoder = promisify<Buffer, object, Buffer>(inflate);
const decodeRawDeflate: Decoder = promisify<Buffer, object, Buffer>(inflateRaw);
/** The compression method of zlib's header (RFC 1950). Many servers send raw deflate without that header. */
const isZlib = (bytes: Buffer) =>
  ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.length > 1 && bytes.readUInt16BE(0) % 31 === 0;
const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b;
const DECODERS = new Map<string, Decoder>([
  ['gzip', decodeGzip],
  ['x-gzip', decodeGzip],
  ['deflate', (bytes, options) => (isZlib(bytes) ? decodeZlib : decodeRawDeflate)(bytes, options)],
  ['br', promisify<Buffer, object, Buffer>(brotliDecompress)],
]);
/** Encodings of one body at most. */
const MAX_ENCODINGS = 3;

export interface FetchedPage {
  kind: 'page';
  status: number;
  bytes: Buffer;
  contentType: string | null;
  etag: string | null;
  lastModified: string | null;
  /** The directives of X-Robots-Tag for our crawler. */
  robotsTag: string;
  /** The address in a `Link` with the relation `canonical` (RFC 6596). */
  canonical: string | null;
}

export type FetchResult =
  | FetchedPage
  | { kind: 'unchanged' }
  | { kind: 'redirect'; status: number; to: string; setsCookie: boolean }
  | { kind: 'failed'; status: number | null; reason: PageReason; detail: string | null; retryAfterMs: number | null };

export interface Validators {
  etag: string | null;
  last_modified: string | null;
}

/**
 * Fetches a URL without following redirects. `known`: validators for a conditional request. Failures are returned, not
 * thrown.
 */
export async function fetchPage(egress: Egress, url: string, validators: Validators | undefined): Promise<FetchResult> {
  try {
    const answer = await egress.download(url, {
      headers: { ...HEADERS, ...conditionalHeaders(validators) },
      maxBytes: MAX_PAGE_BYTES,
      timeoutMs: TIMEOUT_MS,
      redirects: 'manual',
    });
    return await classifyResponse(answer);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return failed(REASON_OF[error.problem], null, { detail: error.message });
  }
}

/** Fetches what a page's scripts ask for. Returns undefined if that fails. Redirects are followed. */
export async function fetchResource(
  egress: Egress,
  url: string,
  maxBytes: number,
): Promise<LoadedResource | undefined> {
  try {
    const { status, headers, bytes } = await egress.download(url, {
      headers: { ...HEADERS, accept: '*/*' },
      maxBytes: Math.min(MAX_PAGE_BYTES, maxBytes),
      timeoutMs: TIMEOUT_MS,
    });
    const body = await decodeBody(bytes, header(headers['content-encoding']));
    if (typeof body === 'string') return undefined;
    const entries = Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
    return { status, headers: Object.fromEntries(entries), bytes: body };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return undefined;
  }
}

const conditionalHeaders = (validators: Validators | undefined): Record<string, string> => ({
  ...(validators?.etag ? { 'if-none-match': validators.etag } : {}),
  ...(validators?.last_modified ? { 'if-modified-since': validators.last_modified } : {}),
});

async function classifyResponse({ status, headers, bytes }: Download): Promise<FetchResult> {
  const location = header(headers.location);
  if (REDIRECTS.has(status) && location !== null) {
    const setsCookie = headers['set-cookie'] !== undefined;
    return { kind: 'redirect', status, to: addressOfHeader(location), setsCookie };
  }
  if (status === 304) return { kind: 'unchanged' };
  if (status >= 200 && status < 300) {
    const unpacked = await decodeBody(bytes, header(headers['content-encoding']));
    if (typeof unpacked === 'string') return failed(unpacked, status);
    return {
      kind: 'page',
      status,
      bytes: unpacked,
      contentType: header(headers['content-type']),
      etag: header(headers.etag),
      lastModified: header(headers['last-modified']),
      robotsTag: ownDirectivesIn(headers['x-robots-tag']),
      canonical: canonicalIn(addressOfHeader([headers.link ?? []].flat().join(', '))),
    };
  }
  const retryAfterMs = parseRetryAfter(header(headers['retry-after']));
  if (status === 429 || (status === 503 && retryAfterMs !== null)) return failed('busy', status, { retryAfterMs });
  if (status === 404 || status === 410) return failed('not_found', status);
  if (status === 401 || status === 403) return failed('forbidden', status);
  return failed(status >= 500 ? 'server_error' : 'http_error', status);
}

const failed = (
  reason: PageReason,
  status: number | null,
  { detail = null, retryAfterMs = null }: { detail?: string | null; retryAfterMs?: number | null } = {},
): FetchResult => ({ kind: 'failed', status, reason, detail, retryAfterMs });

const header = (value: string | string[] | undefined): string | null => [value].flat()[0] ?? null;

/** Returns the target of the first canonical link in a `Link` header (RFC 8288). */
function canonicalIn(links: string): string | null {
  for (const [, target = '', parameters = ''] of links
    .slice(0, MAX_LINK_HEADER)
    .matchAll(/<([^<>]{1,2000})>([^<>]*)/g)) {
    const [, relations = ''] = /;\s{0,9}rel\s{0,9}=\s{0,9}"?([^";,]{1,200})/i.exec(parameters) ?? [];
    if (relations.toLowerCase().split(/\s/).includes('canonical')) return target;
  }
  return null;
}

/** Directives for a single crawler begin with its name. */
const ownDirectivesIn = (value: string | string[] | undefined): string =>
  [value ?? []]
    .flat()
    .map((line) => line.replace(OWN_DIRECTIVE, ''))
    .filter((line) => !/^\s*[\w-]+:/.test(line) || /^\s*(unavailable_after|max-[\w-]+):/i.test(line))
    .join(',');

async function decodeBody(bytes: Buffer, encoding: string | null): Promise<Buffer | PageReason> {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',', MAX_ENCODINGS)
    .map((name) => name.trim());
  let body = bytes;
  try {
    for (const name of names.reverse())
      body = (await DECODERS.get(name)?.(body, { maxOutputLength: MAX_PAGE_BYTES })) ?? body;
    return isGzip(body) ? await decodeGzip(body, { maxOutputLength: MAX_PAGE_BYTES }) : body; // compressed twice
  } catch (error) {
    return codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'unreadable';
  }
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function parseRetryAfter(value: string | null): number | null {
  if (value === null) return null;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
