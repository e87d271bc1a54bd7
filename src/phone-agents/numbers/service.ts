import type { Db } from '../../db/connect.ts';
import { conflict, notFound, refused } from '../../errors.ts';
import type { PlatformNumber } from '../../providers/vapi/port.ts';
import type { PhonePlatform, PhonePlatforms } from '../platform.ts';
import { findPhoneAgent } from '../service.ts';
import { deleteNumber, listBoundNumbers, upsertNumber } from './queries.ts';
import type { BindPhoneNumber, OwnPhoneNumber } from './schema.ts';

export { findAnsweringAgent } from './queries.ts';

/** Lists the numbers that the org has at its voice platform, with the agents that take their calls. */
export async function listPhoneNumbers(db: Db, platforms: PhonePlatforms, orgId: string): Promise<OwnPhoneNumber[]> {
  const platform = await getPlatform(platforms, orgId);
  const bound = await listBoundNumbers(db, orgId);
  const agents = new Map(bound.map(({ provider_id, phone_agent_id }) => [provider_id, phone_agent_id]));
  return (await platform.listNumbers()).map((number) => shown(number, platform, agents.get(number.id) ?? null));
}

/** Lists the SIP trunks that the org has at its voice platform. */
export const listSipTrunks = async (platforms: PhonePlatforms, orgId: string) =>
  (await getPlatform(platforms, orgId)).listTrunks();

/**
 * Has an agent take the calls to a number, or nobody for null. The platform asks this API while there is one. Repeated, it
 * changes nothing. Throws notFound for the number, and invalid for an agent that takes no calls and an unknown trunk.
 */
export async function bindPhoneNumber(
  db: Db,
  platforms: PhonePlatforms,
  orgId: string,
  { id, phone_agent_id: agentId, sip_trunk_id: trunkId }: BindPhoneNumber & { id: string },
): Promise<OwnPhoneNumber> {
  const platform = await getPlatform(platforms, orgId);
  if (agentId !== null) await assertInbound(db, orgId, agentId);
  const number = await getNumber(platform, id);
  const isMoved = typeof trunkId === 'string' && trunkId !== number.trunkId;
  if (isMoved && !(await platform.listTrunks()).some((trunk) => trunk.id === trunkId))
    throw refused('sip_trunk_id', 'must be the id of a trunk: GET /phone/sip-trunks lists them');
  const trunk = isMoved ? { trunkId } : {};
  if (agentId === null) return unbind(db, platform, orgId, { number, trunk });
  await upsertNumber(db, orgId, { providerId: id, number: number.number ?? number.sipUri, agentId });
  return shown(await platform.changeNumber(number, { server: platform.server, ...trunk }), platform, agentId);
}

async function assertInbound(db: Db, orgId: string, agentId: string): Promise<void> {
  const agent = await findPhoneAgent(db, orgId, agentId);
  if (agent === undefined) throw refused('phone_agent_id', 'the org has no phone agent with this id');
  if (agent.type !== 'inbound') throw refused('phone_agent_id', 'is an outbound agent, which takes no calls');
}

/** Has nobody take the calls to a number. The platform asks this API no longer. Throws notFound for the number. */
export async function unbindPhoneNumber(
  db: Db,
  platforms: PhonePlatforms,
  orgId: string,
  id: string,
): Promise<OwnPhoneNumber> {
  const platform = await getPlatform(platforms, orgId);
  return unbind(db, platform, orgId, { number: await getNumber(platform, id), trunk: {} });
}

async function unbind(
  db: Db,
  platform: PhonePlatform,
  orgId: string,
  { number, trunk }: { number: PlatformNumber; trunk: { trunkId?: string } },
): Promise<OwnPhoneNumber> {
  const change = { ...trunk, ...(platform.isOurs(number.serverUrl) && { server: null }) };
  const changed = Object.keys(change).length === 0 ? number : await platform.changeNumber(number, change);
  await deleteNumber(db, orgId, number.id);
  return shown(changed, platform, null);
}

async function getNumber(platform: PhonePlatform, id: string): Promise<PlatformNumber> {
  const number = (await platform.listNumbers()).find((one) => one.id === id);
  if (number === undefined) throw notFound('phone number');
  return number;
}

/** Returns the org's voice platform. Throws conflict if none is connected. */
async function getPlatform(platforms: PhonePlatforms, orgId: string): Promise<PhonePlatform> {
  const platform = await platforms.of(orgId);
  if (platform === undefined) throw conflict('No voice platform is connected: PUT /integrations/voice first');
  return platform;
}

const shown = (
  { id, number, sipUri, name, kind, trunkId, hasAssistant, serverUrl }: PlatformNumber,
  { isOurs }: PhonePlatform,
  agentId: string | null,
): OwnPhoneNumber => ({
  id,
  number,
  sip_uri: sipUri,
  name,
  provider: kind,
  sip_trunk_id: trunkId,
  phone_agent_id: agentId,
  is_answered_here: !hasAssistant && isOurs(serverUrl),
});
