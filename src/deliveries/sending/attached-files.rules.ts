import type { ReplyFile } from '../../conversations/deliveries.port.ts';

/** A stored file that goes with a message, as the content of its delivery refers to it. */
export interface AttachedFile {
  media_id: string;
  name: string;
  mime_type: string;
}

/** Returns a file as the content of its delivery refers to it. */
export const attachedFileOf = ({ mediaId, name, mimeType }: ReplyFile): AttachedFile => ({
  media_id: mediaId,
  name,
  mime_type: mimeType,
});
