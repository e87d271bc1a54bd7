import { z } from 'zod';
import type { Egress } from '../egress/egress.ts';
import { jsonOf } from '../egress/provider-responses.ts';
import { downloaded, mediaFailure } from '../media-download.ts';
import { callMeta, type MetaSettings } from './api.ts';

/** Meta deletes the files of messages after 30 days. */
const MediaAnswer = z.object({ url: z.string() });

/** Downloads a file of a contact's message: Meta gives an address for its id that is valid for five minutes. */
export async function downloadMetaFile(
  egress: Egress,
  settings: MetaSettings,
  mediaId: string,
  maxBytes: number,
): Promise<Buffer> {
  const answer = await callMeta(egress, settings, encodeURIComponent(mediaId));
  const media = MediaAnswer.safeParse(jsonOf(answer)).data;
  if (answer.status !== 200 || media === undefined)
    throw mediaFailure(answer, `Meta did not show the file: ${answer.reason}`);
  return downloaded(egress, media.url, { maxBytes, headers: { authorization: `Bearer ${settings.access_token}` } });
}
