import { z } from 'zod';
import { memberOf } from '../../collections/records.ts';
import { ProviderError } from '../../errors.ts';
import { joinUrl } from '../../text/urls.rules.ts';
import type { HttpClient } from '../egress/egress.ts';
import { jsonOf, reasonFrom, requestFailure } from '../egress/provider-responses.ts';
import type { CallbackContent } from '../sending.ts';
import { readVapiCallback } from './callbacks.ts';
import { VapiCall } from './calls.ts';
import { BASE_URL, explanationOf, type VapiSettings } from './sender.ts';

/** A call has its whole transcript. */
const MAX_CALL_BYTES = 16 * 1024 ** 2;
const Time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/**
 * Asks Vapi how a call ended. Returns the content that its report would have had, `under way` before its end, and undefined
 * if Vapi has no such call. Throws ProviderErrors.
 */
export async function findEndOfCall(
  http: HttpClient,
  { base_url = BASE_URL, api_key }: Pick<VapiSettings, 'base_url' | 'api_key'>,
  id: string,
): Promise<CallbackContent | 'under way' | undefined> {
  const answer = await http.request(joinUrl(base_url, `/call/${encodeURIComponent(id)}`), {
    headers: { accept: 'application/json', authorization: `Bearer ${api_key}` },
    maxBytes: MAX_CALL_BYTES,
  });
  if (answer.status === 404) return undefined;
  const body = jsonOf(answer);
  const call = VapiCall.safeParse(body).data;
  if (answer.status >= 300) throw requestFailure(answer, reasonFrom(explanationOf(answer), [api_key]));
  if (call === undefined) throw new ProviderError('Vapi described a call in an unknown way', { transient: false });
  return call.status === 'ended' ? readVapiCallback({ message: reportOf(body) }) : 'under way';
}

/** Returns the report about a call that has ended. Vapi names the same things in both. */
function reportOf(call: unknown) {
  const [begun, ended] = ['startedAt', 'endedAt'].map((name) => Time.safeParse(memberOf(call, name)).data);
  return {
    type: 'end-of-call-report',
    ...Object.fromEntries(
      ['endedReason', 'startedAt', 'endedAt', 'artifact', 'analysis', 'destination'].map((name) => [
        name,
        memberOf(call, name),
      ]),
    ),
    ...(begun !== undefined && ended !== undefined && { durationSeconds: (ended - begun) / 1_000 }),
    call,
  };
}

/** Returns the report of a call whose end is not told any more, in words for people. */
export const reportOfLostCall = (id: string): CallbackContent =>
  readVapiCallback({
    message: { type: 'end-of-call-report', endedReason: 'the voice platform did not report how', call: { id } },
  });
