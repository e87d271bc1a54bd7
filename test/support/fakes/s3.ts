import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const S3_KEY = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const REGION = 'eu-central-1';
const BUCKET = 'files';

/**
 * What a call meets in place of the truth. `lost`: it has its effect, and no answer comes. `cut`: half of the object
 * comes.
 */
type Fault = 'slow-down' | 'internal-error' | 'denied' | 'reset' | 'lost' | 'cut' | { released: Promise<void> };

export interface FakeS3 {
  /** For STORAGE_URL. */
  storageUrl: string;
  /** The objects by their keys, prefix included. */
  objects: Map<string, Buffer>;
  /** Method and path of every call so far. */
  calls: string[];
  /** The session tokens that came with good signatures over them. */
  sessions: string[];
  /** Scripts the coming calls, one each. */
  next(...faults: Fault[]): void;
  close(): Promise<void>;
}

/**
 * S3 over real HTTP, by path: PUT, GET with ranges, and DELETE of objects in one bucket. Verifies every signature and
 * checksum.
 */
export async function startFakeS3(): Promise<FakeS3> {
  const objects = new Map<string, Buffer>();
  const calls: string[] = [];
  const sessions: string[] = [];
  const faults: Fault[] = [];

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    calls.push(`${request.method} ${request.url}`);
    const fault = faults.shift();
    if (fault === 'reset') return request.socket.resetAndDestroy();
    if (typeof fault === 'object') await fault.released;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (fault === 'slow-down') return refuse(response, 503, 'SlowDown');
    if (fault === 'internal-error') return refuse(response, 500, 'InternalError');
    if (fault === 'denied') return refuse(response, 403, 'AccessDenied');

    const problem = refusalOf(request, body);
    if (problem !== undefined) return refuse(response, 403, problem);
    const session = request.headers['x-amz-security-token'];
    if (session !== undefined) sessions.push(String(session));
    const [, bucket, ...parts] = new URL(request.url ?? '', 'http://s3').pathname.split('/');
    if (bucket !== BUCKET) return refuse(response, 404, 'NoSuchBucket');
    const key = parts.join('/');
    if (fault === 'lost') {
      change(request.method, key, body);
      return request.socket.resetAndDestroy();
    }
    return perform(request, response, key, body, fault === 'cut');
  };

  const change = (method: string | undefined, key: string, body: Buffer) => {
    if (method === 'PUT') objects.set(key, body);
    if (method === 'DELETE') objects.delete(key);
  };

  const perform = (request: IncomingMessage, response: ServerResponse, key: string, body: Buffer, isCut: boolean) => {
    change(request.method, key, body);
    if (request.method === 'PUT') return response.writeHead(200, { etag: '"x"' }).end();
    if (request.method === 'DELETE') return response.writeHead(204).end();
    const object = objects.get(key);
    if (object === undefined) return refuse(response, 404, 'NoSuchKey');
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const content = start === undefined ? object : object.subarray(Number(start), Number(end) + 1);
    const range = { 'content-range': `bytes ${start}-${end}/${object.length}` };
    response.writeHead(start === undefined ? 200 : 206, {
      'content-length': content.length,
      ...(start === undefined ? {} : range),
    });
    if (!isCut) return response.end(content);
    return response.write(content.subarray(0, content.length / 2), () => request.socket.resetAndDestroy());
  };

  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    storageUrl: `s3://${BUCKET}/some/prefix?region=${REGION}&endpoint=${encodeURIComponent(endpoint)}`,
    objects,
    calls,
    sessions,
    next: (...more) => void faults.push(...more),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refuse(response: ServerResponse, status: number, code: string) {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>…</Message></Error>`);
}

/** Why S3 would not take a request (AWS Signature Version 4), by the code that it gives; undefined where it would. */
function refusalOf({ method = '', url = '', headers }: IncomingMessage, body: Buffer): string | undefined {
  const [, keyId, scope = '', names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const time = String(headers['x-amz-date']);
  const contentHash = String(headers['x-amz-content-sha256']);
  const mustBeSigned = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  const expectedScope = `${time.slice(0, 8)}/${REGION}/s3/aws4_request`;
  if (keyId !== S3_KEY.AWS_ACCESS_KEY_ID) return 'InvalidAccessKeyId';
  if (scope !== expectedScope) return 'AuthorizationHeaderMalformed';
  if (!mustBeSigned.every((name) => names.split(';').includes(name))) return 'AccessDenied';
  const sent = Date.parse(time.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(Date.now() - sent) < 15 * 60_000)) return 'RequestTimeTooSkewed';
  if (contentHash !== sha256(body)) return 'XAmzContentSHA256Mismatch';

  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, url, '', signed.join(''), names, contentHash].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const parts = scope.split('/');
  const key = parts.reduce<Buffer>(hmac, Buffer.from(`AWS4${S3_KEY.AWS_SECRET_ACCESS_KEY}`));
  return hmac(key, toSign).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
