import type { Sender } from '../sending.ts';

/** Where a thread is: its channel, and the first message's time in it. */
export interface SlackThread {
  channel: string;
  ts: string;
}

/** A file to be uploaded. */
export interface SlackFile {
  name: string;
  bytes: Uint8Array;
}

/** A message in a thread of Slack, ready to send. */
export interface SlackMessage {
  deliveryId: string;
  /** The thread, as `addressOfThread` writes it. */
  to: string;
  text: string;
  files: SlackFile[];
}

export type SlackSender = Sender<SlackMessage>;

/** Returns where a thread is as one text. The same text names the message that it begins with. */
export const addressOfThread = ({ channel, ts }: SlackThread): string => `${channel}:${ts}`;

/** Returns where a thread is that a text names. */
export function threadAt(address: string): SlackThread {
  const [channel = '', ts = ''] = address.split(':');
  return { channel, ts };
}
