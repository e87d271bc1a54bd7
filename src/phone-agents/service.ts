import { listKnownActions } from '../actions/definitions/service.ts';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { conflict, notFound, refused } from '../errors.ts';
import { isUuid, newId } from '../ids.ts';
import type { PhoneAgentProfile } from '../providers/vapi/port.ts';
import type { PhonePlatforms } from './platform.ts';
import {
  countPhoneAgents,
  deletePhoneAgent,
  findNumberOfAgent,
  findPhoneAgentProfile,
  insertPhoneAgent,
  listKnownTraining,
  lockPhoneAgents,
  updatePhoneAgent,
} from './queries.ts';
import type { CreatePhoneAgent, UpdatePhoneAgent } from './schema.ts';

const MAX_AGENTS = 500;

/** Why an agent cannot call anybody. */
export const INBOUND_ONLY =
  'is an inbound agent, which only takes calls: name an outbound one, or change its type by PATCH /phone/{id}';

/** Throws invalid for an unknown action, training item, voice or model, and conflict at the limit of phone agents. */
export async function createPhoneAgent(db: Db, platforms: PhonePlatforms, orgId: string, agent: CreatePhoneAgent) {
  await assertSpeech(platforms, orgId, agent);
  return inTransaction(db, async (trx) => {
    await assertReferences(trx, orgId, agent);
    await lockPhoneAgents(trx, orgId);
    if ((await countPhoneAgents(trx, orgId)) >= MAX_AGENTS) {
      throw conflict(`An org has at most ${MAX_AGENTS} phone agents: delete one that is not in use`);
    }
    return insertPhoneAgent(trx, orgId, newId(), agent);
  });
}

interface Change {
  id: string;
  changes: UpdatePhoneAgent;
}

/**
 * Updates an agent. Calls started from now on use the new version. Throws notFound, invalid as createPhoneAgent, and
 * conflict if an agent with numbers is to take no calls.
 */
export async function changePhoneAgent(db: Db, platforms: PhonePlatforms, orgId: string, { id, changes }: Change) {
  await assertReferences(db, orgId, changes);
  await assertSpeech(platforms, orgId, changes);
  const number = changes.type === 'outbound' ? await findNumberOfAgent(db, orgId, id) : undefined;
  if (number !== undefined)
    throw conflict(`The agent takes the calls to ${number}: bind the number to another one first`);
  const agent = await updatePhoneAgent(db, orgId, id, changes);
  if (agent === undefined) throw notFound('phone agent');
  return agent;
}

/** Throws invalid for a voice or a model that the voice platform does not have. */
async function assertSpeech(
  platforms: PhonePlatforms,
  orgId: string,
  { voice_id, model }: Pick<UpdatePhoneAgent, 'voice_id' | 'model'>,
): Promise<void> {
  if (voice_id != null && !(await platforms.listVoices(orgId)).some(({ id }) => id === voice_id))
    throw refused('voice_id', 'must be the id of a voice: GET /phone/voices lists them');
  if (model != null && !(await platforms.listModels(orgId)).includes(model))
    throw refused('model', 'must be the id of a model: GET /phone/models lists them');
}

async function assertReferences(
  db: Db,
  orgId: string,
  { actionIds, instructions }: Pick<UpdatePhoneAgent, 'actionIds' | 'instructions'>,
): Promise<void> {
  const action = await findUnknown(actionIds, (ids) => listKnownActions(db, orgId, ids));
  if (action !== undefined) throw refused('actionIds', `the org has no action ${action}`);
  const item = await findUnknown(instructions, (ids) => listKnownTraining(db, orgId, ids));
  if (item !== undefined) throw refused('instructions', `the org has no training item ${item}`);
}

/** Returns the first of the ids that is unknown. Ids may be any text. */
async function findUnknown(
  ids: string[] | null | undefined,
  listKnown: (ids: string[]) => Promise<string[]>,
): Promise<string | undefined> {
  const uuids = ids?.filter(isUuid) ?? [];
  const known = new Set(uuids.length === 0 ? [] : await listKnown(uuids));
  return ids?.find((id) => !known.has(id.toLowerCase()));
}

/** Deletes an agent: sequence steps naming it make no calls from now on. Throws notFound. */
export async function removePhoneAgent(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await deletePhoneAgent(db, orgId, id))) throw notFound('phone agent');
}

/** The part of an agent that is its own. */
type FoundPhoneAgent = Omit<PhoneAgentProfile, 'instructions' | 'tools' | 'rules'> & Pick<CreatePhoneAgent, 'type'>;

/** Returns the fields of an agent needed for a call. The id may be any text: undefined for one that is not a UUID. */
export async function findPhoneAgent(db: Db, orgId: string, id: string): Promise<FoundPhoneAgent | undefined> {
  return isUuid(id) ? findPhoneAgentProfile(db, orgId, id) : undefined;
}

export async function getPhoneAgent(db: Db, orgId: string, id: string): Promise<FoundPhoneAgent> {
  const agent = await findPhoneAgent(db, orgId, id);
  if (agent === undefined) throw notFound('phone agent');
  return agent;
}
