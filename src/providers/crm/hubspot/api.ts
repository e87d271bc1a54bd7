import type { z } from 'zod';
import { joinUrl } from '../../../text/urls.rules.ts';
import type { EgressResponse, HttpClient } from '../../egress/egress.ts';
import { storableJsonOf } from '../../egress/provider-responses.ts';
import type { CrmError } from '../errors.ts';
import { failureOf, failureWithoutResponse, unexpectedResponse } from './failures.ts';

export const BASE_URL = 'https://api.hubapi.com';
const TIMEOUT_MS = 10_000;
/** Fits several hundred properties, each with its options. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
/** Statuses of a lookup without a result: the object or its endpoint does not exist. */
const NOT_FOUND_STATUSES = new Set<number | undefined>([404, 405, 501]);

/** The source of access tokens. */
export interface TokenSource {
  get(): Promise<string>;
  /** Reports a token refused by HubSpot. */
  refuse(token: string): Promise<void>;
  /** Reports a token accepted by HubSpot. */
  confirm(token: string): Promise<void>;
}

/** Limits an org's requests to HubSpot. */
export interface RateLimit {
  /** Waits for its turn. Throws a transient error if the wait would be too long. */
  reserve(kind: 'request' | 'search'): Promise<void>;
}

export interface HubspotCall {
  method: 'GET' | 'POST' | 'PATCH';
  /** With its query. */
  path: string;
  body?: object;
  /** The requested object in words: `a ticket`. */
  what: string;
  /** A POST without changes. */
  isRead?: boolean;
  kind?: 'search';
}

export interface HubspotResponse {
  status: number;
  content: unknown;
  /** Set for a status of 400 and above. */
  failure: CrmError | undefined;
}

/** HubSpot's API for one org. Never retries. Failures are CrmErrors. */
export interface HubspotApi {
  /** Throws for a refused token and without a response. Returns responses of any other status. */
  exchange(call: HubspotCall): Promise<HubspotResponse>;
  /** Parses the response of an exchange. Throws its failure, if any. */
  read<T extends z.ZodType>(call: HubspotCall, exchange: HubspotResponse, answer: T): z.infer<T>;
  request<T extends z.ZodType>(call: HubspotCall, answer: T): Promise<z.infer<T>>;
  /** Returns undefined if the object does not exist. */
  find<T extends z.ZodType>(call: HubspotCall, answer: T): Promise<z.infer<T> | undefined>;
}

export function createHubspotApi(
  { requests, tokens, budget }: { requests: HttpClient; tokens: TokenSource; budget: RateLimit },
  baseUrl: string = BASE_URL,
): HubspotApi {
  const send = async (
    { method, path, body }: HubspotCall,
    token: string,
    isWrite: boolean,
  ): Promise<EgressResponse> => {
    const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
    try {
      return await requests.request(joinUrl(baseUrl, path), {
        method,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_RESPONSE_BYTES,
      });
    } catch (error) {
      throw failureWithoutResponse(error, isWrite);
    }
  };

  const exchange = async (call: HubspotCall): Promise<HubspotResponse> => {
    const isWrite = isWriting(call);
    await budget.reserve(call.kind ?? 'request');
    const token = await tokens.get();
    const answer = await send(call, token, isWrite);
    const failure = answer.status < 400 ? undefined : failureOf(answer, { isWrite, secrets: [token] });
    if (failure?.areCredentialsRefused) {
      await tokens.refuse(token);
      throw failure;
    }
    if (failure === undefined) await tokens.confirm(token);
    return { status: answer.status, content: storableJsonOf(answer), failure };
  };

  const read = <T extends z.ZodType>(call: HubspotCall, { status, content, failure }: HubspotResponse, answer: T) => {
    if (failure !== undefined) throw failure;
    const read = answer.safeParse(content);
    if (!read.success) throw unexpectedResponse(status, call.what, isWriting(call));
    return read.data;
  };

  return {
    exchange,
    read,
    request: async (call, answer) => read(call, await exchange(call), answer),
    find: async (call, answer) => {
      const exchanged = await exchange(call);
      return NOT_FOUND_STATUSES.has(exchanged.failure?.status) ? undefined : read(call, exchanged, answer);
    },
  };
}

const isWriting = ({ method, isRead }: HubspotCall) => method !== 'GET' && isRead !== true;
