import { z } from 'zod';
import { joinUrl } from '../../text/urls.rules.ts';
import type { EgressResponse, HttpClient } from '../egress/egress.ts';
import { jsonOf, reasonFrom } from '../egress/provider-responses.ts';

const BASE_URL = 'https://slack.com';
/** A long wait is worthwhile: a send with a lost response may not be found. */
const TIMEOUT_MS = 30_000;

/** The id of a message in its channel: its time in seconds. */
export const Timestamp = z.string().regex(/^\d{1,12}\.\d{1,8}$/);

/** Where calls go, and by which right. */
export interface SlackSettings {
  base_url?: string | undefined;
  bot_token: string;
}

/** Slack answers refusals with 200 as well. */
export interface SlackResponse extends EgressResponse {
  /** Whether the call was done. */
  isOk: boolean;
  /** Slack's word for what prevented the call. */
  error: string | undefined;
  /** What prevented the call, without the token. */
  reason: string;
}

const Answer = z.object({ ok: z.boolean(), error: z.string().optional().catch(undefined) });

/**
 * Makes one call of the Web API. Fields go out as a form, which every method takes; only some take JSON. Returns responses
 * of any status. Throws an EgressError without a response.
 */
export async function callSlack(
  egress: HttpClient,
  { base_url = BASE_URL, bot_token }: SlackSettings,
  method: string,
  body: object | URLSearchParams,
): Promise<SlackResponse> {
  const isForm = body instanceof URLSearchParams;
  const answer = await egress.request(joinUrl(base_url, `/api/${method}`), {
    method: 'POST',
    timeoutMs: TIMEOUT_MS,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${bot_token}`,
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json; charset=utf-8',
    },
    body: isForm ? body.toString() : JSON.stringify(body),
  });
  const { ok = false, error } = Answer.safeParse(jsonOf(answer)).data ?? {};
  const said = error === undefined ? `Slack answered ${answer.status}` : `Slack answered ${error}`;
  return { ...answer, isOk: answer.status === 200 && ok, error, reason: reasonFrom(said, [bot_token]) };
}
