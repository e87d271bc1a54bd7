import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { type AiVersion, AutopilotChannel, DEFAULT_VERSION, type UpdateAutopilot } from './schema.ts';

/** Returns the org's setting of each channel, off by default. */
export async function listAutopilot(db: Db, orgId: string) {
  const rows = await db
    .selectFrom('autopilot')
    .select(['channel', 'autopilot_enabled', 'ai_agent_version'])
    .where('org_id', '=', orgId)
    .execute();
  const set = new Map(rows.map((row) => [row.channel, row]));
  return AutopilotChannel.options.map(
    (channel) => set.get(channel) ?? { channel, autopilot_enabled: false, ai_agent_version: DEFAULT_VERSION },
  );
}

/** Stores the setting of a channel. Returns whether it was turned on. */
export async function upsertAutopilot(
  trx: Trx,
  orgId: string,
  { channel, autopilot_enabled, ai_agent_version }: UpdateAutopilot,
): Promise<boolean> {
  const before = await trx
    .selectFrom('autopilot')
    .select('autopilot_enabled')
    .where('org_id', '=', orgId)
    .where('channel', '=', channel)
    .forUpdate()
    .executeTakeFirst();
  await sql`
    insert into autopilot (org_id, channel, autopilot_enabled, ai_agent_version)
    values (${orgId}, ${channel}, ${autopilot_enabled}, coalesce(${ai_agent_version ?? null}::text, ${DEFAULT_VERSION}))
    on conflict (org_id, channel) do update set autopilot_enabled = excluded.autopilot_enabled,
      ai_agent_version = coalesce(${ai_agent_version ?? null}::text, autopilot.ai_agent_version), updated_at = now()
  `.execute(trx);
  return autopilot_enabled && before?.autopilot_enabled !== true;
}

/** Returns the setting of a channel, if there is one. */
export const findAutopilot = (db: Db, orgId: string, channel: AutopilotChannel) =>
  db
    .selectFrom('autopilot')
    .select('autopilot_enabled')
    .where('org_id', '=', orgId)
    .where('channel', '=', channel)
    .executeTakeFirst();

/** Lists the channels with autopilot. */
export const listEnabledAutopilot = (db: Db, orgId: string) =>
  db
    .selectFrom('autopilot')
    .select(['channel', 'ai_agent_version'])
    .where('org_id', '=', orgId)
    .where('autopilot_enabled', '=', true)
    .execute();

/** SQL: the version that answers on a channel, or null if autopilot is off there. For use inside another statement. */
export const versionOnChannel = (orgId: string, channel: AutopilotChannel) => sql<AiVersion | null>`(
  select ai_agent_version from autopilot where org_id = ${orgId} and channel = ${channel} and autopilot_enabled
)`;

/** SQL: whether autopilot is on for any channel. For use inside another statement. */
export const isAutopilotOnAnywhere = (orgId: string) => sql<boolean>`exists (
  select from autopilot where org_id = ${orgId} and autopilot_enabled
)`;

/** Lists the orgs with autopilot on any channel. */
export async function listOrgsWithAutopilot(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('autopilot')
    .select('org_id')
    .distinct()
    .where('autopilot_enabled', '=', true)
    .execute();
  return rows.map(({ org_id }) => org_id);
}
