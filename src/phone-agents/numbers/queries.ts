import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/** A number that was dialled. The platform gives one of them at least. */
export interface DialledNumber {
  providerId: string | undefined;
  number: string | undefined;
}

/**
 * Finds the agent that takes the calls to a number: the one bound to its id, or else to the number itself, or else the org's
 * oldest one for calls that come in.
 */
export async function findAnsweringAgent(
  db: Db,
  orgId: string,
  { providerId = '', number = '' }: DialledNumber,
): Promise<{ id: string; handoff_phone_number: string | null } | undefined> {
  const { rows } = await sql<{ id: string; handoff_phone_number: string | null }>`
    select agent.id, agent.handoff_phone_number from phone_agents as agent
    left join phone_numbers as bound on bound.org_id = agent.org_id and bound.phone_agent_id = agent.id
      and (bound.provider_id = ${providerId} or bound.number = ${number})
    where agent.org_id = ${orgId} and agent.type = 'inbound'
    order by bound.provider_id is null, bound.provider_id <> ${providerId}, agent.created_at, agent.id limit 1
  `.execute(db);
  return rows[0];
}

/** Returns the bound numbers of the org. */
export const listBoundNumbers = (db: Db, orgId: string) =>
  db
    .selectFrom('phone_numbers')
    .select(['provider_id', 'number', 'phone_agent_id'])
    .where('org_id', '=', orgId)
    .execute();

export interface Binding {
  providerId: string;
  number: string | null;
  agentId: string;
}

/** Binds a number to an agent, in place of another one. What the same number had under another id of the platform ends. */
export async function upsertNumber(db: Db, orgId: string, { providerId, number, agentId }: Binding): Promise<void> {
  await db
    .with('replaced', (ending) =>
      ending
        .deleteFrom('phone_numbers')
        .where('org_id', '=', orgId)
        .where('number', '=', number)
        .where('provider_id', '!=', providerId),
    )
    .insertInto('phone_numbers')
    .values({ org_id: orgId, provider_id: providerId, number, phone_agent_id: agentId })
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'provider_id'])
        .doUpdateSet({ number, phone_agent_id: agentId, bound_at: sql`now()` }),
    )
    .execute();
}

/** Ends the binding of a number. */
export async function deleteNumber(db: Db, orgId: string, providerId: string): Promise<void> {
  await db.deleteFrom('phone_numbers').where('org_id', '=', orgId).where('provider_id', '=', providerId).execute();
}
