import { fileTypeFromBuffer } from 'file-type';
import type { Db } from '../../db/connect.ts';
import { notFound, unprocessable } from '../../errors.ts';
import { type Egress, EgressError } from '../../providers/egress/egress.ts';
import { picturesIn } from '../mail/html.rules.ts';
import { findMessageSource } from './messages.queries.ts';

const MAX_PICTURE_BYTES = 2 * 1024 ** 2;
const MAX_PICTURES = 100;
/** Without SVG, which may have scripts. */
const SHOWN_TYPES = ['image/png', 'image/apng', 'image/jpeg', 'image/gif', 'image/webp'];

interface PictureOfMessage {
  sessionId: string;
  messageId: string;
  /** Its position among the remote pictures of the e-mail, from 0. */
  position: number;
}

/** Loads a remote picture of an e-mail. Its server gets no cookie and does not learn who reads. Throws unprocessable with the reason. */
export async function loadPicture(
  { db, egress }: { db: Db; egress: Egress },
  orgId: string,
  { position, ...message }: PictureOfMessage,
) {
  const source = await findMessageSource(db, orgId, message);
  const url = position < MAX_PICTURES ? picturesIn(source?.html ?? '')[position] : undefined;
  if (url === undefined) throw notFound('picture of this message');
  const { status, bytes } = await egress.download(url, { maxBytes: MAX_PICTURE_BYTES }).catch((error: unknown) => {
    throw error instanceof EgressError ? unprocessable(`The picture could not be loaded: ${error.message}`) : error;
  });
  if (status !== 200) throw unprocessable(`The server of the picture answered ${status}`);
  const mime_type = (await fileTypeFromBuffer(bytes))?.mime;
  if (mime_type === undefined || !SHOWN_TYPES.includes(mime_type))
    throw unprocessable('The server of the picture sent something else than a PNG, JPEG, GIF or WebP picture');
  return { mime_type, content: bytes.toString('base64') };
}
