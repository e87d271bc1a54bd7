import { z } from 'zod';
import { ProviderError } from '../../errors.ts';
import type { Egress } from '../egress/egress.ts';
import { jsonOf } from '../egress/provider-responses.ts';
import { downloaded, mediaFailure } from '../media-download.ts';
import { callSlack, type SlackSettings } from './api.ts';

const FileAnswer = z.object({ file: z.object({ url_private_download: z.string() }) });

/** Slack answers these with 200 too. A file may be announced before it can be found. */
const PASSING_ERRORS = new Set<string | undefined>([
  'fatal_error',
  'file_not_found',
  'internal_error',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
]);

/** Downloads a file of a message: Slack gives an address for its id, which asks for the token too. */
export async function downloadSlackFile(
  egress: Egress,
  settings: SlackSettings,
  fileId: string,
  maxBytes: number,
): Promise<Buffer> {
  const answer = await callSlack(egress, settings, 'files.info', new URLSearchParams({ file: fileId }));
  const found = answer.isOk ? FileAnswer.safeParse(jsonOf(answer)).data : undefined;
  if (found === undefined) {
    const reason = `Slack did not show the file: ${answer.reason}`;
    throw PASSING_ERRORS.has(answer.error)
      ? new ProviderError(reason, { transient: true })
      : mediaFailure(answer, reason);
  }
  const headers = { authorization: `Bearer ${settings.bot_token}` };
  return downloaded(egress, found.file.url_private_download, { maxBytes, headers });
}
