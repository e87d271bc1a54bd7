import { z } from 'zod';
import { ProviderError } from '../../errors.ts';
import type { HttpClient } from '../egress/egress.ts';
import { jsonOf, outcomeOfStatus, outcomeWithoutResponse, requestFailure } from '../egress/provider-responses.ts';
import type { LostSend, SendOutcome } from '../sending.ts';
import { callSlack, type SlackResponse, type SlackSettings, Timestamp } from './api.ts';
import { addressOfThread, type SlackFile, type SlackMessage, type SlackSender, threadAt } from './port.ts';
import { toSlackText } from './text.rules.ts';

/** Slack takes about one message a second in a channel. */
const CONCURRENCY = 10;
const UPLOAD_TIMEOUT_MS = 60_000;
const MAX_LISTED = 200;
const EVENT_TYPE = 'switchboard_message';

const FileId = z.string().regex(/^[A-Z0-9]{1,64}$/);
const Posted = z.object({ channel: z.string(), ts: Timestamp });
const Shared = z.object({ files: z.tuple([z.object({ id: FileId })], z.unknown()) });
const Upload = z.object({ upload_url: z.string(), file_id: FileId });

/** Sends messages in threads of Slack. Files are uploaded first, and one last call shows them with the text. */
export function createSlackSender(egress: HttpClient, settings: SlackSettings): SlackSender {
  return {
    provider: 'slack',
    concurrency: CONCURRENCY,
    async send(message) {
      const uploads = await uploadAll(egress, settings, message.files);
      if (!Array.isArray(uploads)) return uploads;
      try {
        return uploads.length === 0
          ? outcomeOf(await callSlack(egress, settings, 'chat.postMessage', postOf(message)), idOfPost)
          : outcomeOf(
              await callSlack(egress, settings, 'files.completeUploadExternal', shareOf(message, uploads)),
              idOfShare,
            );
      } catch (error) {
        return outcomeWithoutResponse(error);
      }
    },
    findLostSend: (sent) => findMessage(egress, settings, sent),
    close: () => {},
  };
}

/** Slack keeps `metadata` with the message, unseen. */
function postOf({ deliveryId, to, text }: SlackMessage) {
  const { channel, ts } = threadAt(to);
  const metadata = { event_type: EVENT_TYPE, event_payload: { delivery_id: deliveryId } };
  return { channel, thread_ts: ts, text: toSlackText(text), metadata };
}

function shareOf({ to, text }: SlackMessage, files: { id: string; title: string }[]) {
  const { channel, ts } = threadAt(to);
  const comment = text.trim() === '' ? {} : { initial_comment: toSlackText(text) };
  return { files, channel_id: channel, thread_ts: ts, ...comment };
}

function idOfPost(answer: SlackResponse): string | undefined {
  const posted = Posted.safeParse(jsonOf(answer)).data;
  return posted && addressOfThread(posted);
}

const idOfShare = (answer: SlackResponse): string | undefined => Shared.safeParse(jsonOf(answer)).data?.files[0].id;

/** Uploads files one by one. A failure is an outcome that has sent nothing: an upload shows nothing. */
async function uploadAll(
  egress: HttpClient,
  settings: SlackSettings,
  files: SlackFile[],
): Promise<{ id: string; title: string }[] | SendOutcome> {
  const uploaded: { id: string; title: string }[] = [];
  for (const file of files) {
    try {
      const one = await upload(egress, settings, file);
      if ('kind' in one) return withoutSend(one);
      uploaded.push(one);
    } catch (error) {
      return withoutSend(outcomeWithoutResponse(error));
    }
  }
  return uploaded;
}

async function upload(
  egress: HttpClient,
  settings: SlackSettings,
  { name, bytes }: SlackFile,
): Promise<{ id: string; title: string } | SendOutcome> {
  const wanted = new URLSearchParams({ filename: name, length: String(bytes.length) });
  const answer = await callSlack(egress, settings, 'files.getUploadURLExternal', wanted);
  const place = answer.isOk ? Upload.safeParse(jsonOf(answer)).data : undefined;
  if (place === undefined) return outcomeOf(answer, () => undefined);
  const headers = { 'content-type': 'application/octet-stream' };
  const request = { method: 'POST', headers, body: bytes, timeoutMs: UPLOAD_TIMEOUT_MS } as const;
  const { status } = await egress.request(place.upload_url, request);
  const reason = `Slack answered ${status} to the file`;
  return status === 200 ? { id: place.file_id, title: name } : { kind: 'retry', scope: 'recipient', reason };
}

const withoutSend = (outcome: SendOutcome): SendOutcome =>
  outcome.kind === 'unknown' || outcome.kind === 'accepted'
    ? { kind: 'retry', scope: 'recipient', reason: 'reason' in outcome ? outcome.reason : 'Slack kept no file' }
    : outcome;

/** Slack did nothing, for now. */
const THROTTLES = new Set<string | undefined>(['ratelimited', 'rate_limited', 'message_limit_exceeded']);
/** By its documents Slack may have done a part of it. */
const DOUBTS = new Set<string | undefined>(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']);
/** The token or its rights. */
const CONFIGURATION = new Set<string | undefined>([
  'access_denied',
  'account_inactive',
  'ekm_access_denied',
  'invalid_auth',
  'missing_scope',
  'no_permission',
  'not_allowed_token_type',
  'not_authed',
  'org_login_required',
  'team_access_not_granted',
  'token_expired',
  'token_revoked',
]);

function outcomeOf(answer: SlackResponse, idOf: (answer: SlackResponse) => string | undefined): SendOutcome {
  const { isOk, error, status, reason } = answer;
  if (isOk) {
    const providerId = idOf(answer);
    return providerId === undefined ? { kind: 'unknown', reason } : { kind: 'accepted', providerId };
  }
  if (DOUBTS.has(error)) return { kind: 'unknown', reason };
  const byStatus = status === 200 && error !== undefined ? undefined : outcomeOfStatus(answer, reason);
  if (byStatus !== undefined) return byStatus;
  if (THROTTLES.has(error)) return { kind: 'retry', scope: 'recipient', reason };
  return { kind: 'rejected', because: CONFIGURATION.has(error) ? 'config' : 'permanent', reason };
}

const Replies = z.object({
  messages: z.array(
    z.object({
      ts: Timestamp.optional().catch(undefined),
      metadata: z
        .object({ event_payload: z.object({ delivery_id: z.string() }) })
        .optional()
        .catch(undefined),
    }),
  ),
});

/** Looks for a message in its thread by our id. A message with files has none, and is not found. */
async function findMessage(
  egress: HttpClient,
  settings: SlackSettings,
  { deliveryId, to, since }: LostSend,
): Promise<SendOutcome | undefined> {
  const { channel, ts } = threadAt(to);
  const wanted = new URLSearchParams({
    channel,
    ts,
    oldest: String(Math.floor(since.getTime() / 1_000) - 60),
    include_all_metadata: 'true',
    limit: String(MAX_LISTED),
  });
  const answer = await callSlack(egress, settings, 'conversations.replies', wanted);
  const replies = answer.isOk ? Replies.safeParse(jsonOf(answer)).data : undefined;
  if (replies === undefined) {
    if (answer.status !== 200) throw requestFailure(answer, answer.reason);
    throw new ProviderError(answer.reason, { transient: THROTTLES.has(answer.error) });
  }
  const found = replies.messages.find(({ metadata }) => metadata?.event_payload.delivery_id === deliveryId);
  return found?.ts === undefined
    ? undefined
    : { kind: 'accepted', providerId: addressOfThread({ channel, ts: found.ts }) };
}
