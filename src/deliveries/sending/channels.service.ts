import type { Db } from '../../db/connect.ts';
import { listConnections } from '../../orgs/integrations/service.ts';
import type { Channel } from '../contract.ts';
import { fromAddressIn, SANDBOX_FROM_ADDRESSES } from './from-addresses.rules.ts';

/** The channels on which an org can send, each with the address or number of all its messages, or null where each says its own. */
export type Channels = Map<Channel, string | null>;

export interface ChannelDefaults {
  /** Whether there is a mail server for orgs that have none of their own. */
  hasMailServer: boolean;
  /** Whether the sandbox stands in for what is not connected. */
  isDevelopment: boolean;
}

/** What an org has connected, or what stands in for it. */
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
