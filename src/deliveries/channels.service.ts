import type { Db } from '../db/connect.ts';
import { listConnections } from '../orgs/integrations.service.ts';
import type { Channel } from './contract.ts';

/** The channels on which an org can send, each with the address or number of all its messages, or null where each says its own. */
export type Channels = Map<Channel, string | null>;

export interface ChannelDefaults {
  /** Whether there is a mail server for orgs that have none of their own. */
  hasMailServer: boolean;
  /** Whether the sandbox stands in for what is not connected. */
  isDevelopment: boolean;
}

const SANDBOX_NUMBER = '+15005550006';

export async function listChannels(
  db: Db,
  orgId: string,
  { hasMailServer, isDevelopment }: ChannelDefaults,
): Promise<Channels> {
  const connections = await listConnections(db, orgId);
  const channels: Channels = new Map();
  if (hasMailServer || connections.has('email')) channels.set('email', null);
  for (const [channel, keys] of Object.entries(SENDER_KEYS) as [keyof typeof SENDER_KEYS, string[]][]) {
    const settings = connections.get(channel);
    if (settings === undefined && !isDevelopment) continue;
    const sender = keys.map((key) => settings?.[key]).find((value) => typeof value === 'string');
    channels.set(channel, settings === undefined ? SANDBOX_NUMBER : ((sender as string | undefined) ?? null));
  }
  return channels;
}

/** Where a connection's settings name what its messages come from. */
const SENDER_KEYS = { sms: ['from', 'messaging_service_sid'], whatsapp: [], voice: ['phone_number_id'] };
