import type { Schemas } from '../../api/client';
import type { Part } from '../../ui/charts/parts-bar';

type Sequence = Schemas['Sequence'];
type Delivery = Schemas['Delivery'];
type ChipTone = 'plain' | 'warn' | 'bad' | 'good';

export const SEQUENCE_STATUSES: Record<Sequence['status'], { name: string; tone: ChipTone }> = {
  pending: { name: 'Not started', tone: 'plain' },
  active: { name: 'Active', tone: 'good' },
  paused: { name: 'Paused', tone: 'warn' },
  complete: { name: 'Complete', tone: 'plain' },
  canceled: { name: 'Canceled', tone: 'plain' },
};

export const DELIVERY_STATUSES: Record<Delivery['status'], { name: string; tone: ChipTone }> = {
  held: { name: 'Held', tone: 'warn' },
  queued: { name: 'Queued', tone: 'plain' },
  sending: { name: 'Sending', tone: 'plain' },
  accepted: { name: 'Accepted', tone: 'good' },
  sent: { name: 'Sent', tone: 'good' },
  delivered: { name: 'Delivered', tone: 'good' },
  read: { name: 'Read', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  bounced: { name: 'Bounced', tone: 'bad' },
  suppressed: { name: 'Suppressed', tone: 'warn' },
  skipped: { name: 'Skipped', tone: 'warn' },
  unknown: { name: 'Unknown', tone: 'bad' },
  canceled: { name: 'Canceled', tone: 'plain' },
};

export const CHANNELS: Record<Delivery['channel'], string> = {
  email: 'E-mail',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  voice: 'Call',
  messenger: 'Messenger',
  instagram: 'Instagram',
  slack: 'Slack',
};

export const GATES: Record<string, string> = {
  quiet_hours: 'Quiet hours',
  daily_cap: 'Daily cap',
  sends_per_minute: 'Sends per minute',
  exit_on_reply: 'Exit on reply',
  exit_when_unmatched: 'Exit when unmatched',
};

interface Action {
  type: string;
  data: Record<string, unknown>;
}

const ACTIONS: Record<string, { name: string; textOf: (data: Action['data']) => unknown }> = {
  send_emails: { name: 'E-mail', textOf: ({ email_subject }) => email_subject },
  send_sms_messages: { name: 'SMS', textOf: ({ message }) => message },
  send_whatsapp_messages: {
    name: 'WhatsApp',
    textOf: ({ template }) => (template as { name?: string } | undefined)?.name,
  },
  make_phone_calls: { name: 'Call', textOf: () => undefined },
};

/** Returns what a step does in some words: its channel, and its subject or text. */
export function namedStep(action: unknown): { channel: string; text: string } {
  const { type, data } = action as Action;
  const known = ACTIONS[type];
  return { channel: known?.name ?? type, text: String(known?.textOf(data) ?? '') };
}

interface Outcomes {
  due: number;
  sent: number;
  delivered: number;
  failed: number;
  skipped: number;
  unknown: number;
}

/** Returns the parts of a funnel. Delivered messages are counted as sent too: the bar shows each once. */
export const funnelOf = ({ due, sent, delivered, failed, skipped, unknown }: Outcomes): Part[] => [
  { name: 'delivered', count: delivered, tone: 'good' },
  { name: 'sent', count: sent - delivered, tone: 'accent' },
  { name: 'failed', count: failed, tone: 'bad' },
  { name: 'unknown', count: unknown, tone: 'warn' },
  { name: 'skipped', count: skipped, tone: 'quiet' },
  { name: 'due', count: due, tone: 'plain' },
];

/** Why an address is suppressed, in the words of the API's explanations. */
const SUPPRESSIONS: Record<string, string> = {
  manual: 'the address was suppressed by hand',
  unsubscribed: 'the contact unsubscribed',
  bounced: 'the address bounced before',
};

export const skipReasonOf = (reason: string): string => SUPPRESSIONS[reason] ?? reason;
