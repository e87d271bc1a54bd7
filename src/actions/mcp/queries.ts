import { type Selectable, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { ActionPayload, ConfirmWhen } from '../definitions/schema.ts';
import type { McpServersTable, McpToolsTable } from './table.ts';

const SERVER_COLUMNS = ['name', 'verdict', 'protocol', 'listed_at', 'requested_at'] as const;
const TOOL_COLUMNS = [
  'tool',
  'action_id',
  'listed',
  'listed_hash',
  'problem',
  'accepted',
  'accepted_hash',
  'accepted_at',
  'changed_at',
] as const;

export type ServerRow = Pick<Selectable<McpServersTable>, (typeof SERVER_COLUMNS)[number]> & { now: Date };
export type ToolRow = Pick<Selectable<McpToolsTable>, (typeof TOOL_COLUMNS)[number]>;

export async function insertServer(trx: Trx, orgId: string, name: string): Promise<void> {
  await trx.insertInto('mcp_servers').values({ org_id: orgId, name }).execute();
}

const selectServers = (db: Db, orgId: string) =>
  db
    .selectFrom('mcp_servers')
    .select(SERVER_COLUMNS)
    .select(sql<Date>`clock_timestamp()`.as('now'))
    .where('org_id', '=', orgId);

const selectServer = (db: Db, orgId: string, name: string) => selectServers(db, orgId).where('name', '=', name);

export const findServer = (db: Db, orgId: string, name: string) => selectServer(db, orgId, name).executeTakeFirst();

export const lockServer = (trx: Trx, orgId: string, name: string) =>
  selectServer(trx, orgId, name).forUpdate().executeTakeFirst();

/** Lists the servers of an org by name. */
export const listServers = (db: Db, orgId: string) => selectServers(db, orgId).orderBy('name').execute();

/** Stores what a list was answered with, and when its request began. */
export async function storeListing(
  trx: Trx,
  orgId: string,
  { name, verdict, protocol, listedAt }: { name: string; verdict: string; protocol: string; listedAt: Date },
): Promise<void> {
  await trx
    .updateTable('mcp_servers')
    .set({ verdict, protocol, listed_at: listedAt, requested_at: sql<Date>`greatest(requested_at, ${listedAt})` })
    .where('org_id', '=', orgId)
    .where('name', '=', name)
    .execute();
}

/**
 * Forgets which era a server speaks. The next call finds it out again, and reads its list. When the latest list was
 * asked for stays known: an older one must not replace it.
 */
export async function forgetVerdict(db: Db, orgId: string, name: string): Promise<void> {
  await db
    .updateTable('mcp_servers')
    .set({ verdict: null })
    .where('org_id', '=', orgId)
    .where('name', '=', name)
    .execute();
}

/** Notes that the lists of some servers are asked for, those that were not for a day. Returns them. */
export async function claimDueServers(trx: Trx, limit: number): Promise<{ org_id: string; name: string }[]> {
  const { rows } = await sql<{ org_id: string; name: string }>`
    update mcp_servers set requested_at = now() where (org_id, name) in (
      select org_id, name from mcp_servers where requested_at < now() - interval '24 hours'
      order by requested_at limit ${limit} for update skip locked
    ) returning org_id, name
  `.execute(trx);
  return rows;
}

/** Lists the tools of a server by name. */
export const listToolsOf = (db: Db, orgId: string, server: string): Promise<ToolRow[]> =>
  db
    .selectFrom('mcp_tools')
    .select(TOOL_COLUMNS)
    .where('org_id', '=', orgId)
    .where('server', '=', server)
    .orderBy('tool')
    .execute();

/** Lists the tools of all servers of an org by name. */
export const listToolsOfOrg = (db: Db, orgId: string) =>
  db
    .selectFrom('mcp_tools')
    .select([...TOOL_COLUMNS, 'server'])
    .where('org_id', '=', orgId)
    .orderBy('server')
    .orderBy('tool')
    .execute();

/** Returns the tool that an action stands for, with its server. */
export const findToolOfAction = (db: Db, orgId: string, actionId: string) =>
  db
    .selectFrom('mcp_tools')
    .innerJoin('mcp_servers', (join) =>
      join.onRef('mcp_servers.org_id', '=', 'mcp_tools.org_id').onRef('mcp_servers.name', '=', 'mcp_tools.server'),
    )
    .innerJoin('actions', (join) =>
      join.onRef('actions.org_id', '=', 'mcp_tools.org_id').onRef('actions.id', '=', 'mcp_tools.action_id'),
    )
    .select(['tool', 'server', 'accepted', 'accepted_at', 'verdict', 'held', 'read_only'])
    .select(sql<Date>`clock_timestamp()`.as('now'))
    .select(
      sql<boolean>`coalesce(verdict is not null and listed_at > clock_timestamp() - interval '5 minutes', false)`.as(
        'is_listed_lately',
      ),
    )
    .where('mcp_tools.org_id', '=', orgId)
    .where('action_id', '=', actionId)
    .executeTakeFirst();

/** A tool as a server has listed it, and its action if that is new or was never accepted. */
export interface ListedRow {
  action_id: string;
  tool: string;
  listed: object;
  listed_hash: string;
  problem: string | null;
}

/** A new action, or one that was never accepted. */
export interface OfferedRow {
  id: string;
  tool: string;
  operation_id: string;
  name: string;
  description: string;
  payload: ActionPayload;
  confirm: ConfirmWhen;
}

/** Creates the actions of a server's tools, held and on all channels. Existing ones, by id, get what is new of them. */
export async function upsertOffered(
  trx: Trx,
  orgId: string,
  { server, url, channels }: { server: string; url: string; channels: string[] },
  rows: OfferedRow[],
): Promise<void> {
  await sql`
    insert into actions (org_id, id, connection_kind, connection_name, connection_operation, operation_id, name, description, api_endpoint, request_type,
      payload, channels, confirm, pinned, tags, require_form_submission, held)
    select ${orgId}::uuid, id, 'mcp', ${server}, tool, operation_id, name, description, ${url}, 'POST',
      payload, ${channels}::text[], confirm, false, array['mcp'], false, true
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given (id uuid, tool text, operation_id text, name text, description text, payload jsonb, confirm text)
    on conflict (org_id, id) do update set name = excluded.name, description = excluded.description,
      api_endpoint = excluded.api_endpoint, payload = excluded.payload, updated_at = now()
  `.execute(trx);
}

/** Stores the tools that a server lists. Those that were accepted with another definition have changed. */
export async function upsertListed(trx: Trx, orgId: string, server: string, rows: ListedRow[]): Promise<void> {
  await sql`
    insert into mcp_tools (org_id, server, tool, action_id, listed, listed_hash, problem)
    select ${orgId}::uuid, ${server}, tool, action_id, listed, listed_hash, problem
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given (tool text, action_id uuid, listed jsonb, listed_hash text, problem text)
    on conflict (org_id, server, tool) do update set listed = excluded.listed, listed_hash = excluded.listed_hash, problem = excluded.problem,
      changed_at = case when mcp_tools.accepted_hash is null or mcp_tools.accepted_hash = excluded.listed_hash then null
        else coalesce(mcp_tools.changed_at, clock_timestamp()) end
  `.execute(trx);
}

/** Notes the tools that a server lists no more. Actions that nobody has accepted are deleted. */
export async function removeUnlisted(trx: Trx, orgId: string, server: string, listed: string[]): Promise<void> {
  await sql`
    delete from actions using mcp_tools as tool
    where tool.org_id = ${orgId} and tool.server = ${server} and tool.tool <> all(${listed}::text[]) and tool.accepted is null
      and actions.org_id = tool.org_id and actions.id = tool.action_id
  `.execute(trx);
  await sql`
    update mcp_tools set listed = null, listed_hash = null, problem = null, changed_at = coalesce(changed_at, clock_timestamp())
    where org_id = ${orgId} and server = ${server} and tool <> all(${listed}::text[])
  `.execute(trx);
}

/** Notes why none of a server's tools can be called, until a later request for its list is answered. */
export async function refuseListed(
  trx: Trx,
  orgId: string,
  server: string,
  { problem, listedAt }: { problem: string; listedAt: Date },
): Promise<void> {
  await trx
    .updateTable('mcp_servers')
    .set({ listed_at: listedAt })
    .where('org_id', '=', orgId)
    .where('name', '=', server)
    .execute();
  await trx
    .updateTable('mcp_tools')
    .set({ problem })
    .where('org_id', '=', orgId)
    .where('server', '=', server)
    .where('listed', 'is not', null)
    .execute();
}

/** Accepts tools as they are listed. */
export async function acceptListed(trx: Trx, orgId: string, server: string, tools: string[]): Promise<void> {
  await sql`
    update mcp_tools set accepted = listed, accepted_hash = listed_hash, accepted_at = clock_timestamp(), changed_at = null
    where org_id = ${orgId} and server = ${server} and tool = any(${tools}::text[]) and listed is not null
  `.execute(trx);
}

/** An action of a tool. `is_changed`: it was accepted, or offered, with another definition before. */
type DefinedRow = Omit<OfferedRow, 'tool' | 'operation_id'> & { is_changed: boolean };

/**
 * Gives the actions of tools what they show of their definitions. What was decided about the calls of a former
 * definition does not hold for another one: they are confirmed as its definition proposes, never less than before.
 */
export async function updateDefinitions(trx: Trx, orgId: string, rows: DefinedRow[]): Promise<void> {
  await sql`
    update actions set name = given.name, description = given.description, payload = given.payload, updated_at = now(),
      confirm = case when given.is_changed and actions.confirm = 'auto' then given.confirm else actions.confirm end,
      read_only = actions.read_only and not given.is_changed,
      retry_safe = actions.retry_safe and not given.is_changed
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given (id uuid, name text, description text, payload jsonb, confirm text, is_changed boolean)
    where org_id = ${orgId} and actions.id = given.id
  `.execute(trx);
}

/** Takes back what was accepted of a server's tools: it may be another server now. */
export async function unacceptAll(trx: Trx, orgId: string, server: string): Promise<void> {
  await trx
    .updateTable('mcp_tools')
    .set({ accepted_hash: null, changed_at: null })
    .where('org_id', '=', orgId)
    .where('server', '=', server)
    .execute();
}

/** Gives the actions of a server's tools their address. */
export async function updateAddresses(trx: Trx, orgId: string, server: string, url: string): Promise<void> {
  await trx
    .updateTable('actions')
    .set({ api_endpoint: url, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('connection_kind', '=', 'mcp')
    .where('connection_name', '=', server)
    .execute();
}

/** Holds the actions of tools that are not listed as they were accepted, and releases the others. Returns the newly held. */
export async function syncHolds(trx: Trx, orgId: string, server: string): Promise<string[]> {
  const { rows } = await sql<{ tool: string; held: boolean }>`
    update actions set held = wanted.held, updated_at = now()
    from (
      select action_id, tool, accepted_hash is null or problem is not null or listed_hash is distinct from accepted_hash as held
      from mcp_tools where org_id = ${orgId} and server = ${server}
    ) as wanted
    where actions.org_id = ${orgId} and actions.id = wanted.action_id and actions.held <> wanted.held
    returning wanted.tool, actions.held
  `.execute(trx);
  return rows.filter(({ held }) => held).map(({ tool }) => tool);
}
