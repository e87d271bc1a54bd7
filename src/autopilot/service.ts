import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import type { IntegrationKind } from '../orgs/integrations/schema.ts';
import { listConnections } from '../orgs/integrations/service.ts';
import { announce } from '../outbox/announcing.ts';
import type { SessionChannel } from '../schemas/parts.ts';
import { findAutopilot, listAutopilot, listEnabledAutopilot, upsertAutopilot, versionOnChannel } from './queries.ts';

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

/** The connection that carries each channel. The clients of the others read by themselves. */
const CONNECTION_OF: Partial<Record<AutopilotChannel, IntegrationKind>> = {
  email: 'email',
  sms: 'sms',
  whatsapp: 'whatsapp',
  messenger: 'messenger',
  instagram: 'instagram',
  slack: 'slack',
  phone: 'voice',
  web_voice: 'voice',
};

/** Returns the org's setting of each channel, with a warning for each that is on and has nothing to carry it. */
export async function readAutopilot(db: Db, orgId: string, { hasMailServer }: { hasMailServer: boolean }) {
  const connected = await listConnections(db, orgId);
  const warningsOf = (channel: AutopilotChannel): string[] => {
    const kind = CONNECTION_OF[channel];
    const isCarried = kind === undefined || connected.has(kind) || (kind === 'email' && hasMailServer);
    return isCarried ? [] : [`${channel} is not connected, and answers reach nobody: PUT /integrations/${kind}`];
  };
  const settings = await listAutopilot(db, orgId);
  return settings.map((row) => ({ ...row, warnings: row.autopilot_enabled ? warningsOf(row.channel) : [] }));
}

/** Stores the setting of a channel, and announces that autopilot was turned on there. */
export const updateAutopilot = (db: Db, orgId: string, change: UpdateAutopilot): Promise<void> =>
  inTransaction(db, async (trx) => {
    if (await upsertAutopilot(trx, orgId, change))
      await announce(trx, orgId, [{ type: 'autopilot-turned-on', subject_id: orgId, payload: {} }]);
  });
