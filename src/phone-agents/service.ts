import { listKnownActions } from '../actions/definitions/service.ts';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { conflict, notFound, refused } from '../errors.ts';
import { isUuid, newId } from '../ids.ts';
import type { PhoneAgentProfile } from '../providers/vapi/port.ts';
import {
  countPhoneAgents,
  deletePhoneAgent,
  findPhoneAgentProfile,
  insertPhoneAgent,
  listKnownTraining,
  lockPhoneAgents,
  updatePhoneAgent,
} from './queries.ts';
import type { CreatePhoneAgent, UpdatePhoneAgent } from './schema.ts';

const MAX_AGENTS = 500;

/** Throws invalid for an unknown action or training item, and conflict at the limit of phone agents. */
export function createPhoneAgent(db: Db, orgId: string, agent: CreatePhoneAgent) {
  return inTransaction(db, async (trx) => {
    await assertReferences(trx, orgId, agent);
    await lockPhoneAgents(trx, orgId);
    if ((await countPhoneAgents(trx, orgId)) >= MAX_AGENTS) {
      throw conflict(`An org has at most ${MAX_AGENTS} phone agents: delete one that is not in use`);
    }
    return insertPhoneAgent(trx, orgId, newId(), agent);
  });
}

/** Updates an agent. Calls started from now on use the new version. Throws notFound, and invalid as createPhoneAgent. */
export async function changePhoneAgent(db: Db, orgId: string, id: string, changes: UpdatePhoneAgent) {
  await assertReferences(db, orgId, changes);
  const agent = await updatePhoneAgent(db, orgId, id, changes);
  if (agent === undefined) throw notFound('phone agent');
  return agent;
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
type FoundPhoneAgent = Omit<PhoneAgentProfile, 'instructions' | 'tools'>;

/** Returns the fields of an agent needed for a call. The id may be any text: undefined for one that is not a UUID. */
export async function findPhoneAgent(db: Db, orgId: string, id: string): Promise<FoundPhoneAgent | undefined> {
  return isUuid(id) ? findPhoneAgentProfile(db, orgId, id) : undefined;
}

export async function getPhoneAgent(db: Db, orgId: string, id: string): Promise<FoundPhoneAgent> {
  const agent = await findPhoneAgent(db, orgId, id);
  if (agent === undefined) throw notFound('phone agent');
  return agent;
}
