import { isIP, type Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher, request as send } from 'undici';
import { elementAt } from '../../collections/checked-access.ts';
import { codeOf, messageOf, ProviderError } from '../../errors.ts';
import { inSpan, SpanKind } from '../../tracing/spans.ts';
import { type AddressCheck, createAddressCheck } from './address-check.ts';
import { unlessAborted, withDeadline } from './deadlines.ts';
import { freeingRequests } from './freed-requests.ts';
import { addressOfHeader } from './headers.rules.ts';
import { createHostLookup, type HostLookup } from './host-lookup.ts';

/** For addresses set by the operator, not by a customer. */
export const ALLOW_ALL = ['0.0.0.0/0', '::/0'];

const MAX_REDIRECTS = 3;
const TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 4_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_DOWNLOAD_BYTES = 64 * 1024 * 1024;
/** More of an unsuccessful answer's body is not read: its connection is closed instead. */
const MAX_DISCARDED_BYTES = 64 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** The only headers sent on to another host. Any other header may be a credential. */
const CROSS_ORIGIN_HEADERS = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

export interface EgressRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  timeoutMs?: number;
  maxBytes?: number;
  /**
   * Reads only these first bytes of the body. What else it has, or that it ends too late or never, is then no failure:
   * the status alone counts.
   */
  truncateAtBytes?: number;
  /** `manual` returns a redirect as the response. */
  redirects?: 'follow' | 'manual';
  /** Ends the request early. It then fails as one that found nobody. */
  signal?: AbortSignal;
  /**
   * Receives a successful response's body in chunks instead of collecting it. Returns false to stop. Any other
   * response's body is discarded.
   */
  onChunk?: (piece: Buffer) => boolean;
}

export interface EgressResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** The URL of the response, after redirects. */
  url: string;
}

export type Download = Omit<EgressResponse, 'body'> & { bytes: Buffer };

export type EgressProblem = 'refused' | 'too_large' | 'timeout' | 'unreachable';

/** A request without a response. */
export class EgressError extends ProviderError {
  /** False only if certainly no host received any part of the request. */
  readonly mayHaveArrived: boolean;
  readonly problem: EgressProblem;

  constructor(
    message: string,
    options: { transient: boolean; mayHaveArrived: boolean; problem?: EgressProblem; cause?: unknown },
  ) {
    super(message, options);
    this.name = 'EgressError';
    this.mayHaveArrived = options.mayHaveArrived;
    this.problem = options.problem ?? (options.transient ? 'unreachable' : 'refused');
  }
}

/** The HTTP client for providers. Failures are EgressErrors with a reason. */
export interface HttpClient {
  /**
   * Returns responses of any status. Refuses addresses other than public ones, follows at most 3 redirects, ends after
   * 10 s or 1 MB.
   */
  request(url: string, options?: EgressRequest): Promise<EgressResponse>;
}

/** Requests whose answers are read as they come, for protocols of streams. */
export interface StreamClient {
  /**
   * Requests as the standard `fetch` does, under the rules of `request`: refuses addresses other than public ones, and
   * ends a body after `maxBytes`. Returns redirects, and follows none. Failures, also those of the body, are EgressErrors.
   */
  fetch(url: string, request: FetchRequest): Promise<Response>;
}

export interface FetchRequest extends Pick<EgressRequest, 'method' | 'headers' | 'body'> {
  signal: AbortSignal;
  maxBytes: number;
}

/** The only way to reach addresses named by customers. */
export interface Egress extends HttpClient, StreamClient {
  /** Downloads the content byte for byte, under the rules of `request`. */
  download(url: string, options: EgressRequest & { maxBytes: number }): Promise<Download>;
  /** Returns a checked address of the host. */
  resolve(host: string): Promise<string>;
  /**
   * Opens a TCP connection for protocols other than HTTP, to the first address of the host that accepts it. Refuses
   * addresses as `request` does.
   */
  connect(host: string, port: number): Promise<Socket>;
  close(): Promise<void>;
}

export interface EgressOptions {
  /** CIDRs of networks allowed although they are not public. */
  allow: string[];
  /** Finds a host's addresses. */
  lookup?: HostLookup;
  /** Opens the connection to a checked address. */
  connect?: buildConnector.connector;
}

export function createEgress({
  allow,
  lookup = createHostLookup(),
  connect = defaultConnector(),
}: EgressOptions): Egress {
  const check = createAddressCheck(allow);
  const connectChecked = checkedConnector(connect, (host) => addressesOf(host, check, lookup));
  const agent = freeingRequests(new Agent({ connect: connectChecked }));

  return {
    request: async (url, options = {}) => {
      const { bytes, ...answer } = await follow(agent, parseUrl(url), options);
      return { ...answer, body: bytes.toString('utf8') };
    },
    download: async (url, options) => follow(agent, parseUrl(url), options),
    fetch: async (url, request) => fetchOnce(agent, parseUrl(url), request),
    resolve: async (host) => elementAt(await addressesOf(host, check, lookup), 0),
    connect: (hostname, port) =>
      new Promise((resolve, reject) => {
        connectChecked({ hostname, port: String(port), protocol: 'http:' }, (error, socket) =>
          error === null ? resolve(socket) : reject(error),
        );
      }),
    close: () => agent.destroy(),
  };
}

const defaultConnector = () => buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false });

/**
 * Returns the host's addresses, at least one. Throws if any of them is blocked: a public name must not point into
 * private networks.
 */
async function addressesOf(host: string, check: AddressCheck, lookup: HostLookup): Promise<string[]> {
  const literal = host.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(literal) === 0 ? await lookUpAddresses(host, lookup) : [literal];
  for (const address of addresses) {
    const range = check(address);
    if (range === undefined) continue;
    const where = address === literal ? address : `${host} (${address})`;
    throw refusal(
      `${where} is not a public address (${range}), so it was not contacted. An operator can let its network through with EGRESS_ALLOW`,
    );
  }
  return addresses;
}

async function lookUpAddresses(host: string, lookup: HostLookup): Promise<string[]> {
  const addresses = await lookup(host).catch((cause: unknown) => {
    throw new EgressError(`The address of ${host} was not found`, { transient: true, mayHaveArrived: false, cause });
  });
  if (addresses.length === 0)
    throw new EgressError(`${host} has no address`, { transient: true, mayHaveArrived: false });
  return addresses;
}

/** Connects to exactly the checked addresses, so a changed DNS answer cannot redirect the connection. */
function checkedConnector(
  connect: buildConnector.connector,
  resolve: (host: string) => Promise<string[]>,
): buildConnector.connector {
  return (options, callback) => {
    const tryNext = ([address, ...others]: string[], lastError: Error): void => {
      if (address === undefined) {
        const name = isIP(options.hostname) === 6 ? `[${options.hostname}]` : options.hostname;
        const place = options.host ?? `${name}:${options.port}`;
        const message = `${place} could not be reached: ${reasonOf(lastError)}`;
        callback(new EgressError(message, { transient: true, mayHaveArrived: false, cause: lastError }), null);
        return;
      }
      const servername = isIP(options.hostname) === 0 && options.protocol === 'https:' ? options.hostname : undefined;
      connect({ ...options, hostname: address, servername }, (error, socket) => {
        if (error === null) callback(null, socket);
        else tryNext(others, error);
      });
    };
    resolve(options.hostname).then(
      (addresses) => tryNext(addresses, new Error('no address')),
      (error: Error) => callback(error, null),
    );
  };
}

/** Follows a request. Its span has neither path nor query, which may be secrets, and the server does not hear of it. */
const follow = (dispatcher: Dispatcher, from: URL, options: EgressRequest): Promise<Download> =>
  inSpan(spanOptionsOf(from, options), async (span) => {
    const answer = await withDeadline(options.timeoutMs ?? TIMEOUT_MS, options.signal, (signal) =>
      followUntil(signal, dispatcher, from, options),
    );
    span.setAttribute('http.response.status_code', answer.status);
    return answer;
  });

const spanOptionsOf = ({ hostname, port, protocol }: URL, { method = 'GET' }: EgressRequest) => ({
  name: method, // the host is a customer's word: names of spans are few
  kind: SpanKind.CLIENT,
  attributes: {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  },
});

async function followUntil(
  signal: AbortSignal,
  dispatcher: Dispatcher,
  from: URL,
  options: EgressRequest,
): Promise<Download> {
  let url = from;
  let hop: EgressRequest = { method: 'GET', ...options };
  let hasArrived = false;
  try {
    for (let redirects = 0; ; redirects++) {
      const answer = await requestOnce(dispatcher, url, hop, signal);
      hasArrived = true;
      const location = REDIRECTS.has(answer.status) ? answer.headers.location : undefined;
      if (typeof location !== 'string' || hop.redirects === 'manual') return answer;
      if (redirects === MAX_REDIRECTS) throw refusal(`${from.host} redirected more than ${MAX_REDIRECTS} times`);
      const next = parseUrl(addressOfHeader(location), url);
      hop = nextHop(hop, answer.status, url, next);
      url = next;
    }
  } catch (error) {
    if (!hasArrived || !(error instanceof EgressError)) throw error;
    const { transient, problem } = error;
    throw new EgressError(error.message, { transient, problem, mayHaveArrived: true, cause: error });
  }
}

async function requestOnce(
  dispatcher: Dispatcher,
  url: URL,
  hop: EgressRequest,
  signal: AbortSignal,
): Promise<Download> {
  const maxBytes = hop.maxBytes ?? MAX_RESPONSE_BYTES;
  if (maxBytes > MAX_DOWNLOAD_BYTES) throw new RangeError(`No answer may have more than ${MAX_DOWNLOAD_BYTES} bytes`);
  try {
    const sent = send(url, {
      dispatcher,
      method: hop.method,
      headers: { 'user-agent': 'Switchboard', ...hop.headers },
      body: hop.body,
      signal,
    });
    const { statusCode, headers, body } = await unlessAborted(sent, signal);
    const { onChunk, truncateAtBytes } = hop;
    if (truncateAtBytes !== undefined) {
      const bytes = await firstBytesOf(body, truncateAtBytes);
      return { status: statusCode, headers, bytes, url: url.href };
    }
    if (onChunk !== undefined && (statusCode < 200 || statusCode >= 300)) {
      await body.dump({ limit: MAX_DISCARDED_BYTES, signal });
      return { status: statusCode, headers, bytes: Buffer.alloc(0), url: url.href };
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(`${url.host} answered with more than ${maxBytes} bytes`);
      if (onChunk === undefined) chunks.push(chunk);
      else if (!onChunk(chunk)) break;
    }
    return { status: statusCode, headers, bytes: Buffer.concat(chunks), url: url.href };
  } catch (error) {
    throw failureOf(error, url, signal, hop.signal);
  }
}

/** Statuses whose answers have no body (the Fetch standard's null body status). */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

async function fetchOnce(
  dispatcher: Dispatcher,
  url: URL,
  { maxBytes, signal, method = 'GET', headers, body: sent }: FetchRequest,
): Promise<Response> {
  try {
    const answer = send(url, {
      dispatcher,
      method,
      headers: { 'user-agent': 'Switchboard', ...headers },
      body: sent,
      signal,
    });
    const { statusCode: status, headers: answered, body } = await unlessAborted(answer, signal);
    const init = { status, headers: headersOf(answered) };
    if (!WITHOUT_BODY.has(status))
      return new Response(ReadableStream.from(boundedBody(body, { url, maxBytes, signal })), init);
    await body.dump({ limit: MAX_DISCARDED_BYTES, signal });
    return new Response(null, init);
  } catch (error) {
    throw failureOf(error, url, signal);
  }
}

function headersOf(received: EgressResponse['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received))
    for (const one of [value ?? []].flat()) headers.append(name, one);
  return headers;
}

async function* boundedBody(
  body: AsyncIterable<Buffer>,
  { url, maxBytes, signal }: { url: URL; maxBytes: number; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(`${url.host} answered with more than ${maxBytes} bytes`);
      yield chunk;
    }
  } catch (error) {
    throw failureOf(error, url, signal);
  }
}

/** Returns the error of a request that has begun. It is late if its own signal has ended it, and not its caller's. */
function failureOf(error: unknown, url: URL, signal: AbortSignal, outer?: AbortSignal): EgressError {
  if (error instanceof EgressError) return error;
  const isLate = signal.aborted && outer?.aborted !== true;
  const message = isLate ? 'did not answer in time' : `could not be reached: ${reasonOf(error)}`;
  const problem = isLate ? 'timeout' : 'unreachable';
  return new EgressError(`${url.host} ${message}`, { transient: true, mayHaveArrived: true, problem, cause: error });
}

/** Returns the first bytes of a body, or fewer if it ends before, breaks, or takes too long. Closes a longer one. */
async function firstBytesOf(body: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= limit) break;
    }
  } catch {
    // the status has arrived, and it is what counts
  }
  return Buffer.concat(chunks).subarray(0, limit);
}

/** Returns the request to the redirect's target (RFC 9110, 15.4). Credentials are not sent to other hosts. */
function nextHop(hop: EgressRequest, status: number, from: URL, to: URL): EgressRequest {
  const isSameOrigin = from.origin === to.origin;
  const keepsBody = status === 307 || status === 308 || hop.method === 'GET';
  if (keepsBody && hop.body !== undefined && !isSameOrigin) {
    throw refusal(`${from.host} redirected to ${to.host}, which must not get the request's body`);
  }
  const headers = Object.entries(hop.headers ?? {}).filter(
    ([name]) => isSameOrigin || CROSS_ORIGIN_HEADERS.has(name.toLowerCase()),
  );
  return { ...hop, headers: Object.fromEntries(headers), ...(keepsBody ? {} : { method: 'GET', body: undefined }) };
}

function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw refusal('The address is not a valid URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refusal(`${url.protocol} addresses are not contacted: use https`);
  if (url.username !== '' || url.password !== '') throw refusal('The address must not hold a user name or password');
  return url;
}

const refusal = (message: string) => new EgressError(message, { transient: false, mayHaveArrived: false });
const tooLarge = (message: string) =>
  new EgressError(message, { transient: false, mayHaveArrived: true, problem: 'too_large' });

/** What a connection's failure means, by the system's code. */
const FAILURES: Record<string, string> = {
  ECONNREFUSED: 'nothing answers there',
  ECONNRESET: 'the connection was cut off',
  EHOSTUNREACH: 'no network leads there',
  ENETUNREACH: 'no network leads there',
  ETIMEDOUT: 'no answer came in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer came in time',
};

/** Returns why a connection failed, in words and with the code, or the code or message alone. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const code = codeOf(error);
  if (code === undefined) return messageOf(error);
  const words = FAILURES[code];
  return words === undefined ? code : `${words} (${code})`;
}
