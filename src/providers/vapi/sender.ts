import { z } from 'zod';
import { ProviderError } from '../../errors.ts';
import { joinUrl } from '../../text/urls.rules.ts';
import type { EgressResponse, HttpClient } from '../egress/egress.ts';
import {
  jsonOf,
  outcomeOfStatus,
  outcomeWithoutResponse,
  reasonFrom,
  requestFailure,
} from '../egress/provider-responses.ts';
import type { SendOutcome } from '../sending.ts';
import { truncated } from '../storable.rules.ts';
import { assistantOf, MAX_NAME_LENGTH } from './assistant.ts';
import { deliveryIdOf, VapiCall, wasAnswered } from './calls.ts';
import type { VoiceCall, VoiceSender } from './port.ts';

/** An account is limited to 10 concurrent calls unless it pays for more: further requests would only queue at Vapi. */
const CONCURRENCY = 10;
/** Before responding, Vapi checks the assistant's parts and the limits of the plan. */
const POST_TIMEOUT_MS = 20_000;
const PAGE_SIZE = 100;
const MAX_PAGES = 10;
/** Listed calls include their transcripts. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
/** Vapi's clock and ours may differ. */
const MAX_CLOCK_SKEW_MS = 60_000;

export const BASE_URL = 'https://api.vapi.ai';

/** The settings of an org's voice integration. */
export interface VapiSettings {
  base_url?: string | undefined;
  api_key: string;
  phone_number_id: string;
  /** Sent back with every callback. */
  webhook_secret?: string | undefined;
}

/**
 * Makes calls through Vapi, each by its own assistant built from the phone agent. The progress of a call is reported to
 * `callbackUrl`.
 */
export function createVapiSender(egress: HttpClient, settings: VapiSettings, callbackUrl: string): VoiceSender {
  const { base_url = BASE_URL, api_key, phone_number_id, webhook_secret } = settings;
  const headers = { accept: 'application/json', authorization: `Bearer ${api_key}` };
  const secrets = webhook_secret === undefined ? [api_key] : [api_key, webhook_secret];
  const reasonOf = (answer: EgressResponse) => reasonFrom(explanationOf(answer), secrets);

  const list = async (filter: Record<string, string>) => {
    const query = new URLSearchParams({ phoneNumberId: phone_number_id, limit: String(PAGE_SIZE), ...filter });
    const answer = await egress.request(joinUrl(base_url, `/call?${query}`), { headers, maxBytes: MAX_PAGE_BYTES });
    const calls = z.array(ListedCall).safeParse(jsonOf(answer));
    if (answer.status !== 200 || !calls.success) throw requestFailure(answer, reasonOf(answer));
    return calls.data;
  };

  return {
    provider: 'vapi',
    concurrency: CONCURRENCY,
    async send(call) {
      try {
        const answer = await egress.request(joinUrl(base_url, '/call'), {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(toBody(call, settings, callbackUrl)),
          timeoutMs: POST_TIMEOUT_MS,
        });
        return outcomeOf(answer, reasonOf(answer));
      } catch (error) {
        return outcomeWithoutResponse(error);
      }
    },
    async findLostSend({ deliveryId, since }) {
      const filter: Record<string, string> = {
        createdAtGe: new Date(since.getTime() - MAX_CLOCK_SKEW_MS).toISOString(),
      };
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const calls = await list(filter);
        const call = calls.find((each) => deliveryIdOf(each) === deliveryId);
        if (call !== undefined) return outcomeOfFound(call);
        const oldest = calls.at(-1);
        if (oldest === undefined || calls.length < PAGE_SIZE) return undefined;
        filter.createdAtLt = oldest.createdAt;
      }
      throw new ProviderError(`Vapi has made more than ${MAX_PAGES * PAGE_SIZE} calls since`, { transient: false });
    },
    close: () => {},
  };
}

function toBody(
  { deliveryId, to, contactName, agent }: VoiceCall,
  { phone_number_id, webhook_secret }: VapiSettings,
  callbackUrl: string,
) {
  return {
    phoneNumberId: phone_number_id,
    customer: { number: to, ...(contactName !== null && { name: truncated(contactName, MAX_NAME_LENGTH) }) },
    assistant: assistantOf(agent, { url: callbackUrl, secret: webhook_secret }, { delivery_id: deliveryId }),
  };
}

const ListedCall = VapiCall.extend({ createdAt: z.string() });
const ACCOUNT_ERROR_STATUSES = new Set([401, 402, 403]);
const Refused = z.object({ message: z.union([z.string(), z.array(z.string()).transform((all) => all.join('; '))]) });

function outcomeOf(answer: EgressResponse, reason: string): SendOutcome {
  const created = VapiCall.safeParse(jsonOf(answer));
  if (answer.status < 300 && created.success) return { kind: 'accepted', providerId: created.data.id };
  const byStatus = outcomeOfStatus(answer, reason);
  if (byStatus !== undefined) return byStatus;
  return { kind: 'rejected', because: ACCOUNT_ERROR_STATUSES.has(answer.status) ? 'config' : 'permanent', reason };
}

/** Returns what Vapi says of an answer that is no success. */
export function explanationOf(answer: EgressResponse): string {
  const refused = Refused.safeParse(jsonOf(answer)).data;
  const said = `Vapi answered ${answer.status}`;
  return refused === undefined ? said : `${said}: ${refused.message}`;
}

function outcomeOfFound({ id, status, endedReason }: VapiCall): SendOutcome {
  if (status !== 'ended' || endedReason === undefined || wasAnswered(endedReason))
    return { kind: 'accepted', providerId: id };
  return { kind: 'rejected', because: 'permanent', reason: reasonFrom(endedReason, []), providerId: id };
}
