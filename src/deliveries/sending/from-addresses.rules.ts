import type { Channel } from '../contract.ts';

type ConnectedChannel = Exclude<Channel, 'email'>;

/** The sender of all messages of the sandbox; null if each message has its own. */
export const SANDBOX_FROM_ADDRESSES = {
  sms: '+15005550006',
  whatsapp: null,
  voice: 'sandbox',
  messenger: null,
  instagram: null,
  slack: null,
} as const satisfies Record<ConnectedChannel, string | null>;

const FROM_ADDRESS_KEYS: Record<ConnectedChannel, string[]> = {
  sms: ['from', 'messaging_service_sid'],
  whatsapp: [],
  voice: ['phone_number_id'],
  messenger: [],
  instagram: [],
  slack: [],
};

/** Returns the number or service used as sender of all messages of a connection, or null if each message has its own. */
export function fromAddressIn(channel: ConnectedChannel, settings: object): string | null {
  const values: Record<string, unknown> = { ...settings };
  const sender = FROM_ADDRESS_KEYS[channel].map((key) => values[key]).find((value) => typeof value === 'string');
  return sender ?? null;
}
