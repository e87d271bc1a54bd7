import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { lockName } from '../db/locks.ts';
import type { CreatePhoneAgent, UpdatePhoneAgent } from './schema.ts';

const COLUMNS = [
  'id',
  'name',
  'type',
  'model',
  'voice_id',
  'language',
  'first_message',
  'instructions',
  'handoff_phone_number',
  'use_org_knowledgebase',
  'action_ids as actionIds',
  'created_at',
  'updated_at',
] as const;

/** Serializes the creation of an org's phone agents, so they can be counted. */
export async function lockPhoneAgents(trx: Trx, orgId: string): Promise<void> {
  await lockName(trx, `phone agents ${orgId}`);
}

export async function countPhoneAgents(db: Db, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('phone_agents')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function insertPhoneAgent(db: Db, orgId: string, id: string, { actionIds, ...agent }: CreatePhoneAgent) {
  return db
    .insertInto('phone_agents')
    .values({ org_id: orgId, id, ...agent, action_ids: actionIds })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

export function updatePhoneAgent(db: Db, orgId: string, id: string, { actionIds, ...changes }: UpdatePhoneAgent) {
  return db
    .updateTable('phone_agents')
    .set({ ...changes, action_ids: actionIds, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst();
}

export async function deletePhoneAgent(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('phone_agents')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns the fields of an agent needed for a call. */
export function findPhoneAgentProfile(db: Db, orgId: string, id: string) {
  return db
    .selectFrom('phone_agents')
    .select(['id', 'name', 'type', 'model', 'voice_id', 'language', 'first_message', 'handoff_phone_number'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns what an agent refers to: training, knowledge and actions. */
export function findPhoneAgentReferences(db: Db, orgId: string, id: string) {
  return db
    .selectFrom('phone_agents')
    .select(['instructions', 'use_org_knowledgebase', 'action_ids as actionIds'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns all phone agents of the org, oldest first. */
export function listPhoneAgents(db: Db, orgId: string) {
  return db
    .selectFrom('phone_agents')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Returns one of the numbers that are bound to an agent. */
export async function findNumberOfAgent(db: Db, orgId: string, agentId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('phone_numbers')
    .select(sql<string>`coalesce(number, provider_id)`.as('number'))
    .where('org_id', '=', orgId)
    .where('phone_agent_id', '=', agentId)
    .executeTakeFirst();
  return row?.number;
}

/** Returns the given training items that exist in the org. The ids are UUIDs. Their domain comes after this one. */
export async function listKnownTraining(db: Db, orgId: string, ids: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('training_items')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the given training items. The ids are UUIDs. Their domain comes after this one. */
export const listNamedTraining = (db: Db, orgId: string, ids: string[]) =>
  db
    .selectFrom('training_items')
    .select(['id', 'title', 'content', 'is_draft'])
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
