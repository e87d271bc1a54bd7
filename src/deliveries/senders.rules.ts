import type { Channel } from './contract.ts';

type Connected = Exclude<Channel, 'email'>;

/** What all messages of the sandbox come from; null where each says its own. */
export const SANDBOX_SENDERS = { sms: '+15005550006', whatsapp: null, voice: 'sandbox' } as const satisfies Record<
  Connected,
  string | null
>;

const KEYS: Record<Connected, string[]> = {
  sms: ['from', 'messaging_service_sid'],
  whatsapp: [],
  voice: ['phone_number_id'],
};

/** The number or service that all messages of a connection come from; null where each says its own. */
export function senderIn(channel: Connected, settings: object): string | null {
  const values: Record<string, unknown> = { ...settings };
  const sender = KEYS[channel].map((key) => values[key]).find((value) => typeof value === 'string');
  return (sender as string | undefined) ?? null;
}
