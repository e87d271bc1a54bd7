import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, request } from 'undici';
import { ProviderError } from '../../errors.ts';
import { joinUrl } from '../../text/urls.rules.ts';
import { freeingRequests } from '../egress/freed-requests.ts';
import type { Storage, StoredContent } from './port.ts';

const CONNECT_TIMEOUT_MS = 4_000;
/** Applies until the response begins, and between its parts. */
const IDLE_TIMEOUT_MS = 10_000;
/** The delays before retries. S3 occasionally answers 503 to slow clients down, or cuts connections. */
const RETRY_DELAYS_MS = [100, 500];
const MAX_REASON_BYTES = 4_096;
/** SHA-256 of an empty body. */
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export interface S3Options {
  bucket: string;
  /** Prepended to every key. */
  prefix: string;
  region: string;
  /** Set for stores other than Amazon's. */
  endpoint: string | undefined;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
}

interface S3Call {
  method: 'PUT' | 'GET' | 'DELETE';
  key: string;
  headers?: Record<string, string>;
  content?: StoredContent;
}

/** Stores objects in a bucket of S3 or a compatible store. The store verifies the content by its signed SHA-256. */
export function createS3Storage(options: S3Options): Storage {
  const agent = freeingRequests(
    new Agent({
      connect: { timeout: CONNECT_TIMEOUT_MS },
      headersTimeout: IDLE_TIMEOUT_MS,
      bodyTimeout: IDLE_TIMEOUT_MS,
    }),
  );
  const call = (what: S3Call) => callWithRetries(() => callOnce(agent, options, what));

  return {
    async put(key, content) {
      const { statusCode, body } = await call({ method: 'PUT', key, content });
      if (statusCode !== 200) throw await errorOf(statusCode, body);
      await body.dump();
    },
    async get(key, range) {
      const headers = range === undefined ? undefined : { range: `bytes=${range.start}-${range.end}` };
      const { statusCode, body } = await call({ method: 'GET', key, headers });
      if (statusCode === (range === undefined ? 200 : 206)) return body as Readable;
      const refused = await errorOf(statusCode, body);
      if (statusCode === 404 && refused.code !== 'NoSuchBucket') return undefined;
      throw refused;
    },
    async delete(key) {
      const { statusCode, body } = await call({ method: 'DELETE', key });
      if (statusCode !== 204 && statusCode !== 200) throw await errorOf(statusCode, body);
      await body.dump();
    },
    close: () => agent.destroy(),
  };
}

async function callOnce(
  dispatcher: Dispatcher,
  options: S3Options,
  { method, key, headers = {}, content }: S3Call,
): Promise<Dispatcher.ResponseData> {
  const signer = new AwsV4Signer({
    ...options,
    service: 's3',
    method,
    url: urlOf(options, key),
    headers: { ...headers, 'x-amz-content-sha256': content?.sha256 ?? EMPTY_SHA256 },
  });
  const signed = await signer.sign();
  const length = content === undefined ? {} : { 'content-length': String(content.size) };
  try {
    return await request(signed.url, {
      dispatcher,
      method,
      headers: { ...Object.fromEntries(signed.headers), ...length },
      body: content?.open() ?? null,
    });
  } catch (cause) {
    throw new ProviderError('The storage could not be reached', { transient: true, cause });
  }
}

/** Retries after transient failures. A repeated put, get or delete has the same result. */
async function callWithRetries(once: () => Promise<Dispatcher.ResponseData>): Promise<Dispatcher.ResponseData> {
  for (const pauseMs of RETRY_DELAYS_MS) {
    const answer = await once().catch(() => undefined);
    if (answer !== undefined && !isTransient(answer.statusCode)) return answer;
    await answer?.body.dump();
    await sleep(pauseMs);
  }
  return once();
}

const isTransient = (status: number) => status >= 500 || status === 429;

/**
 * Amazon expects the bucket in the host name. Other stores expect it in the path, as do certificates if the bucket's
 * name has dots.
 */
function urlOf({ bucket, prefix, region, endpoint }: S3Options, key: string): string {
  const path = prefix === '' ? key : `${prefix}/${key}`;
  const amazon = `s3.${region}.amazonaws.com`;
  if (endpoint === undefined && !bucket.includes('.')) return `https://${bucket}.${amazon}/${path}`;
  return joinUrl(endpoint ?? `https://${amazon}`, `/${bucket}/${path}`);
}

/** An unsuccessful response of S3, with its error code. */
class S3Error extends ProviderError {
  readonly code: string;

  constructor(status: number, code: string) {
    super(`The storage answered ${status} ${code}`, { transient: isTransient(status) });
    this.name = 'S3Error';
    this.code = code;
  }
}

async function errorOf(status: number, body: Dispatcher.ResponseData['body']): Promise<S3Error> {
  let xml = '';
  for await (const chunk of body) {
    xml += chunk;
    if (xml.length > MAX_REASON_BYTES) break;
  }
  return new S3Error(status, /<Code>(\w+)<\/Code>/.exec(xml)?.[1] ?? 'without a reason');
}
