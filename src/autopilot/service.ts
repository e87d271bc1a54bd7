import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { announce } from '../outbox/announcing.ts';
import type { SessionChannel } from '../schemas/parts.ts';
import { findAutopilot, listEnabledAutopilot, upsertAutopilot, versionOnChannel } from './queries.ts';

export { isAutopilotOnAnywhere, listOrgsWithAutopilot } from './queries.ts';

import type { AiVersion, AutopilotChannel, UpdateAutopilot } from './schema.ts';

/** Returns the channel of autopilot that decides for sessions on a channel. */
const autopilotChannelOf = (channel: SessionChannel): AutopilotChannel =>
  channel === 'phone_voice' ? 'phone' : channel;

/** SQL: the version of the agent that answers sessions on a channel, null if none. For use inside another statement. */
export const aiVersionOn = (orgId: string, channel: SessionChannel) =>
  versionOnChannel(orgId, autopilotChannelOf(channel));

/** Where the AI answers by itself in an org: the version of the agent by channel. */
export interface Autopilot {
  /** Returns the version that answers on the channel, or undefined if autopilot is off there. */
  versionOn(channel: SessionChannel): AiVersion | undefined;
  isOffEverywhere: boolean;
}

/** Returns the channels of an org with autopilot. */
export async function getAutopilot(db: Db, orgId: string): Promise<Autopilot> {
  const enabled = await listEnabledAutopilot(db, orgId);
  const versions = new Map(enabled.map(({ channel, ai_agent_version }) => [channel, ai_agent_version]));
  return {
    versionOn: (channel) => versions.get(autopilotChannelOf(channel)),
    isOffEverywhere: versions.size === 0,
  };
}

/** Returns whether the AI answers by itself on the channel. */
export const isAutopilotOn = async (db: Db, orgId: string, channel: SessionChannel): Promise<boolean> =>
  (await getAutopilot(db, orgId)).versionOn(channel) !== undefined;

/** Returns whether somebody has turned the AI off on a channel. It is not on where nobody has turned it on. */
export const isTurnedOff = async (db: Db, orgId: string, channel: AutopilotChannel): Promise<boolean> =>
  (await findAutopilot(db, orgId, channel))?.autopilot_enabled === false;

/** Stores the setting of a channel, and announces that autopilot was turned on there. */
export const updateAutopilot = (db: Db, orgId: string, change: UpdateAutopilot): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (await upsertAutopilot(trx, orgId, change))
      await announce(trx, orgId, [{ type: 'autopilot-turned-on', subject_id: orgId, payload: {} }]);
  });
