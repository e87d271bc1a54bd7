import type { Sender } from '../../sending.ts';

/** As what Meta fetches a file. */
export type DirectFileKind = 'image' | 'video' | 'audio' | 'file';

/** A text, or a file that Meta fetches from its URL. */
export type DirectMessageBody = { text: string } | { file: { kind: DirectFileKind; url: string } };

/** A message on Messenger or Instagram, ready to send. */
export type DirectMessage = DirectMessageBody & {
  deliveryId: string;
  /** The id by which the page or account knows the person. */
  to: string;
};

export type DirectSender = Sender<DirectMessage>;
