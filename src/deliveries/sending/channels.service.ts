import type { Db } from '../../db/connect.ts';
import { listConnections } from '../../orgs/integrations/service.ts';
import type { Channel } from '../contract.ts';
import { fromAddressIn, SANDBOX_FROM_ADDRESSES } from './from-addresses.rules.ts';

/**
 * The org's channels for sending. The value is the number that sends all messages of the channel, or null if each
 * message names its own sender.
 */
export type Channels = Map<Channel, string | null>;

export interface ChannelDefaults {
  /** Whether there is a default mail server for orgs without their own. */
  hasMailServer: boolean;
  /** Whether the sandbox replaces providers without a connection. */
  isDevelopment: boolean;
}

/** Lists an org's connected channels and their replacements in development. */
export async function listChannels(
  db: Db,
  orgId: string,
  { hasMailServer, isDevelopment }: ChannelDefaults,
): Promise<Channels> {
  const connections = await listConnections(db, orgId);
  const channels: Channels = new Map();
  if (hasMailServer || connections.has('email')) channels.set('email', null);
  for (const channel of ['sms', 'whatsapp', 'voice'] as const) {
    const settings = connections.get(channel);
    if (settings !== undefined) channels.set(channel, fromAddressIn(channel, settings));
    else if (isDevelopment) channels.set(channel, SANDBOX_FROM_ADDRESSES[channel]);
  }
  return channels;
}
