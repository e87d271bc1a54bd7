import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { lockName } from '../../db/locks.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { ActionPayload, ConfirmWhen, CreateAction, RequestType, UpdateAction } from './schema.ts';

const COLUMNS = [
  'id',
  'name',
  'description',
  'api_endpoint',
  'request_type',
  'operation_id',
  'payload',
  'channels',
  'pinned',
  'tags',
  'require_form_submission',
  'retry_safe',
  'requires_verified',
  'confirm',
  'limits',
  'read_only',
  'held',
  'connection_kind',
  'connection_name',
  'created_at',
  'updated_at',
] as const;

/** Serializes the creation, import and change of an org's actions, so they can be counted. */
export async function lockActions(trx: Trx, orgId: string): Promise<void> {
  await lockName(trx, `actions ${orgId}`);
}

export async function countActions(db: Db, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('actions')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns the org's operation ids with a prefix. */
export async function listOperationIds(db: Db, orgId: string, prefix: string): Promise<string[]> {
  const rows = await db
    .selectFrom('actions')
    .select('operation_id')
    .where('org_id', '=', orgId)
    .where(sql<boolean>`starts_with(operation_id, ${prefix})`)
    .execute();
  return rows.map(({ operation_id }) => operation_id);
}

/** Returns the new action, or undefined if the org already has its operation id. */
export function insertAction(
  db: Db,
  orgId: string,
  id: string,
  { payload, enabled_on_channel, limits, ...action }: CreateAction & { operation_id: string },
) {
  return db
    .insertInto('actions')
    .values({
      org_id: orgId,
      id,
      ...action,
      payload: JSON.stringify(payload),
      channels: enabled_on_channel.channels,
      limits: jsonOrNull(limits),
    })
    .onConflict((oc) => oc.columns(['org_id', 'operation_id']).doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
}

export function updateAction(
  db: Db,
  orgId: string,
  id: string,
  { payload, enabled_on_channel, limits, ...changes }: UpdateAction,
) {
  return db
    .updateTable('actions')
    .set({
      ...changes,
      ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
      ...(enabled_on_channel === undefined ? {} : { channels: enabled_on_channel.channels }),
      ...(limits === undefined ? {} : { limits: jsonOrNull(limits) }),
      updated_at: sql<Date>`now()`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** Returns the id of the action with this operation id. */
export async function findIdOfOperation(db: Db, orgId: string, operationId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('actions')
    .select('id')
    .where('org_id', '=', orgId)
    .where('operation_id', '=', operationId)
    .executeTakeFirst();
  return row?.id;
}

export interface ImportedRow {
  id: string;
  operation_id: string;
  is_new: boolean;
}

/**
 * Creates the actions. Existing ones with the same operation id get the name, description and operation of the
 * document. Those of connections are left out.
 */
export async function upsertActions(
  db: Db,
  orgId: string,
  actions: (CreateAction & { id: string })[],
): Promise<ImportedRow[]> {
  const rows = actions.map(({ enabled_on_channel: { channels }, ...action }) => ({ ...action, channels }));
  const { rows: imported } = await sql<ImportedRow>`
    insert into actions (org_id, id, name, description, api_endpoint, request_type, operation_id, payload, channels, pinned, tags, require_form_submission,
      retry_safe, requires_verified, confirm, limits, read_only)
    select ${orgId}::uuid, given.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given (id uuid, name text, description text, api_endpoint text, request_type text, operation_id text, payload jsonb, channels text[],
        pinned boolean, tags text[], require_form_submission boolean, retry_safe boolean, requires_verified boolean, confirm text, limits jsonb, read_only boolean)
    on conflict (org_id, operation_id) do update set name = excluded.name, description = excluded.description,
      api_endpoint = excluded.api_endpoint, request_type = excluded.request_type, payload = excluded.payload, updated_at = now()
    where actions.connection_kind is null
    returning id, operation_id, xmax = 0 as is_new
  `.execute(db);
  return imported;
}

/** An action of a connection. */
export interface ConnectionActionRow {
  id: string;
  connection_name: string;
  /** Which of the connection's operations it is. */
  operation: string;
  operation_id: string;
  name: string;
  description: string;
  api_endpoint: string;
  request_type: RequestType;
  payload: ActionPayload;
  channels: SessionChannel[];
  confirm: ConfirmWhen;
}

/** Lists the actions of an org's connections of a kind. */
export async function listConnectionActions(db: Db, orgId: string, kind: string) {
  const { rows } = await sql<{ id: string; operation_id: string; connection_name: string; operation: string }>`
    select id, operation_id, connection_name, connection_operation as operation
    from actions where org_id = ${orgId} and connection_kind = ${kind}
  `.execute(db);
  return rows;
}

/** Creates the actions of connections. Existing ones, by id, get the name, description and operation. */
export async function upsertConnectionActions(
  trx: Trx,
  orgId: string,
  kind: string,
  rows: ConnectionActionRow[],
): Promise<void> {
  await sql`
    insert into actions (org_id, id, connection_kind, connection_name, connection_operation, operation_id, name, description, api_endpoint, request_type,
      payload, channels, confirm, pinned, tags, require_form_submission)
    select ${orgId}::uuid, id, ${kind}, connection_name, operation, operation_id, name, description, api_endpoint, request_type,
      payload, channels, confirm, false, array[${kind}], false
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (id uuid, connection_name text, operation text, operation_id text, name text,
      description text, api_endpoint text, request_type text, payload jsonb, channels text[], confirm text)
    on conflict (org_id, id) do update set name = excluded.name, description = excluded.description,
      api_endpoint = excluded.api_endpoint, request_type = excluded.request_type, payload = excluded.payload, updated_at = now()
  `.execute(trx);
}

export async function deleteAction(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('actions')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes all actions of the org. */
export async function deleteActions(db: Db, orgId: string): Promise<void> {
  await db.deleteFrom('actions').where('org_id', '=', orgId).execute();
}

const selectAction = (db: Db, orgId: string, id: string) =>
  db.selectFrom('actions').select(COLUMNS).where('org_id', '=', orgId).where('id', '=', id);

export const findAction = (db: Db, orgId: string, id: string) => selectAction(db, orgId, id).executeTakeFirst();

export const lockAction = (trx: Trx, orgId: string, id: string) =>
  selectAction(trx, orgId, id).forUpdate().executeTakeFirst();

export type ActionRow = NonNullable<Awaited<ReturnType<typeof findAction>>>;

/** Returns all actions of the org, oldest first. */
export const listActions = (db: Db, orgId: string) =>
  db.selectFrom('actions').select(COLUMNS).where('org_id', '=', orgId).orderBy('created_at').orderBy('id').execute();

/** Returns where each action of the org is. */
export const listActionAddresses = (db: Db, orgId: string) =>
  db.selectFrom('actions').select(['id', 'api_endpoint']).where('org_id', '=', orgId).execute();

/** Lists what names and describes the actions that the AI may take on a channel, oldest first. */
export const listDescriptions = (db: Db, orgId: string, channel: SessionChannel) =>
  db
    .selectFrom('actions')
    .select(['id', 'name', 'description', 'operation_id', 'tags', 'pinned'])
    .where('org_id', '=', orgId)
    .where(sql<boolean>`${channel} = any(channels) and not held`)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Lists the actions with these ids, oldest first. */
export const listActionsById = (db: Db, orgId: string, ids: string[]) =>
  db
    .selectFrom('actions')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Returns the given actions that exist in the org. The ids are UUIDs. */
export async function listKnownActions(db: Db, orgId: string, ids: string[]): Promise<string[]> {
  const rows = await db.selectFrom('actions').select('id').where('org_id', '=', orgId).where('id', 'in', ids).execute();
  return rows.map(({ id }) => id);
}
