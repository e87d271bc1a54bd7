import { createHash } from 'node:crypto';
import { canonicalJson } from '../../collections/canonical-json.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { alreadyExists, conflict, DomainError, type Issue, invalid, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { ConnectionCalls } from '../../orgs/integrations/calls.service.ts';
import {
  addConnection,
  deleteIntegration,
  findNamedConnection,
  type NewConnection,
  replaceConnection,
} from '../../orgs/integrations/named-connections.service.ts';
import { MASK } from '../../orgs/integrations/schema.ts';
import type { Egress } from '../../providers/egress/egress.ts';
import { SessionChannel } from '../../schemas/parts.ts';
import type { Secrets } from '../../secrets.ts';
import { originOf } from '../../text/urls.rules.ts';
import { freeIdOf } from '../definitions/connection-actions.service.ts';
import { assertActionLimit, listOperationIds, lockActions } from '../definitions/service.ts';
import {
  actionFieldsOf,
  changedParts,
  confirmProposedBy,
  definitionOf,
  operationIdOfTool,
  problemOfTool,
  type ToolDefinition,
} from './definitions.rules.ts';
import { type Listing, RefusedList, readListing } from './listings.ts';
import {
  acceptListed,
  findServer,
  insertServer,
  listServers,
  listToolsOf,
  listToolsOfOrg,
  lockServer,
  type OfferedRow,
  refuseListed,
  removeUnlisted,
  type ServerRow,
  storeListing,
  syncHolds,
  type ToolRow,
  unacceptAll,
  updateAddresses,
  updateDefinitions,
  upsertListed,
  upsertOffered,
} from './queries.ts';
import type { AcceptMcpTools, ConnectMcpServer, UpdateMcpServer } from './schema.ts';
import type { ServerAddress } from './server-secrets.ts';

export const KIND = 'mcp';

/** What asking servers needs. */
export interface McpDeps {
  db: Db;
  egress: Egress;
  secrets: Secrets;
  calls: ConnectionCalls;
}

/** A server's connection as it was when it was read. */
export interface ServerConnection extends ServerAddress {
  savedAt: Date;
}

/** Asks a server that is to be connected for its tools. Throws invalid for a masked header, and as `readListing`. */
export function readNewServer(egress: Egress, { url, headers }: ConnectMcpServer): Promise<Listing> {
  const masked = Object.keys(headers).find((name) => headers[name] === MASK);
  if (masked !== undefined) throw refusedHeader(masked, 'no value is stored to keep: send it');
  return readListing(egress, { url, headers });
}

/** Connects a server. Its tools are actions that are held. Throws already_exists for a name in use, and conflict for one action too many. */
export function addServer(db: Db, secrets: Secrets, orgId: string, given: ConnectMcpServer, listing: Listing) {
  return inTransaction(db, async (trx) => {
    await lockActions(trx, orgId);
    const { name } = given;
    if (!(await addConnection(trx, secrets, orgId, connectionOf(name, given))))
      throw alreadyExists(`A server with the name ${name} is connected: PATCH /actions/mcp/${name} changes it`, {
        type: 'mcp_server',
        id: name,
        field: 'name',
      });
    await insertServer(trx, orgId, name);
    await applyListing(trx, orgId, { name, url: given.url, listing, listedAt: await nowOf(trx, orgId, name) });
    return getServer(trx, secrets, orgId, name);
  });
}

/**
 * Replaces the address or headers of a server, once it has answered with them. At another address its tools have to be
 * accepted again. Throws notFound, invalid for a masked header that is not kept, conflict if it was changed meanwhile or
 * a later list is known, and as `readListing`.
 */
export async function changeServer(deps: McpDeps, orgId: string, name: string, changes: UpdateMcpServer) {
  const { db, egress, secrets } = deps;
  const before = await getConnection(db, secrets, orgId, name);
  const url = changes.url ?? before.url;
  const headers =
    changes.headers === undefined ? keptHeaders(before, url) : mergedHeaders(before, url, changes.headers);
  const { now: listedAt } = await existing(db, orgId, name);
  const listing = await readListing(egress, { url, headers });
  return inTransaction(db, async (trx) => {
    await lockActions(trx, orgId);
    await lockServer(trx, orgId, name);
    const { savedAt } = await getConnection(trx, secrets, orgId, name);
    if (savedAt.getTime() !== before.savedAt.getTime()) throw conflict('The server was changed meanwhile: try again');
    const { listed_at } = await existing(trx, orgId, name);
    if (url === before.url && !isLater(listedAt, listed_at))
      throw conflict('The tools of the server were listed meanwhile: try again');
    await replaceConnection(trx, secrets, orgId, connectionOf(name, { url, headers }));
    if (url !== before.url) {
      await unacceptAll(trx, orgId, name);
      await updateAddresses(trx, orgId, name, url);
    }
    await applyListing(trx, orgId, { name, url, listing, listedAt });
    return getServer(trx, secrets, orgId, name);
  });
}

/**
 * Asks a server for its tools, and holds those that have changed, or all if its list cannot be taken. Throws notFound, and
 * as `readListing`.
 */
export async function refreshServer(deps: McpDeps, orgId: string, name: string) {
  const { db, egress, secrets, calls } = deps;
  const connection = await getConnection(db, secrets, orgId, name);
  const { now: listedAt } = await existing(db, orgId, name);
  const called = { orgId, kind: KIND, name, settings: { headers: JSON.stringify(connection.headers) } } as const;
  try {
    const listing = await readListing(egress, connection);
    calls.noteSuccess(called);
    await storeServerListing(db, secrets, orgId, { name, listing, listedAt, savedAt: connection.savedAt });
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'unprocessable') calls.noteUnusable(called, error.message);
    if (error instanceof RefusedList)
      await holdTools(db, secrets, orgId, { name, problem: error.message, listedAt, savedAt: connection.savedAt });
    throw error;
  }
  return getServer(db, secrets, orgId, name);
}

/** What a server has answered: to which request, by which connection. */
interface AnsweredList {
  name: string;
  listedAt: Date;
  savedAt: Date;
}

/** Stores what a server has listed, unless its connection was replaced meanwhile, or a later list is known. */
export function storeServerListing(
  db: Db,
  secrets: Secrets,
  orgId: string,
  { listing, ...answered }: AnsweredList & { listing: Listing },
): Promise<void> {
  const { name, listedAt } = answered;
  return ifCurrent(db, secrets, orgId, answered, (trx, { url }) =>
    applyListing(trx, orgId, { name, url, listing, listedAt }),
  );
}

/**
 * Holds all tools of a server whose list was refused, unless its connection was replaced meanwhile, or a later list is
 * known. The next list that can be taken releases them.
 */
export function holdTools(
  db: Db,
  secrets: Secrets,
  orgId: string,
  { problem, ...answered }: AnsweredList & { problem: string },
): Promise<void> {
  const { name, listedAt } = answered;
  return ifCurrent(db, secrets, orgId, answered, async (trx) => {
    await refuseListed(trx, orgId, name, {
      problem: `The last list of the server was refused: ${problem}`,
      listedAt,
    });
    await syncHolds(trx, orgId, name);
  });
}

/** Does the work with the server locked, if an answer of it is still the last that is known. */
function ifCurrent(
  db: Db,
  secrets: Secrets,
  orgId: string,
  { name, listedAt, savedAt }: AnsweredList,
  work: (trx: Trx, connection: ServerConnection) => Promise<void>,
): Promise<void> {
  return inTransaction(db, async (trx) => {
    await lockActions(trx, orgId);
    const server = await lockServer(trx, orgId, name);
    const connection = server && (await findConnection(trx, secrets, orgId, name));
    if (server === undefined || connection?.savedAt.getTime() !== savedAt.getTime()) return;
    if (!isLater(listedAt, server.listed_at)) return;
    await work(trx, connection);
  });
}

/** Whether a list was asked for after the latest that is known, whether that was stored or refused. */
const isLater = (listedAt: Date, known: Date | null): boolean => known === null || known < listedAt;

/** Turns tools on as they were looked at. Throws notFound, and conflict for tools that are listed otherwise. */
export function acceptTools(db: Db, secrets: Secrets, orgId: string, name: string, { tools }: AcceptMcpTools) {
  return inTransaction(db, async (trx) => {
    if ((await lockServer(trx, orgId, name)) === undefined) throw notFound('MCP server');
    const known = new Map((await listToolsOf(trx, orgId, name)).map((row) => [row.tool, row]));
    const accepted = tools.map(({ name: tool, definition_hash }) => {
      const row = known.get(tool);
      if (row === undefined) throw notFound(`tool ${tool}`);
      if (row.problem !== null) throw conflict(`${tool} cannot be called: ${row.problem}`);
      if (row.listed === null || row.listed_hash !== definition_hash)
        throw conflict(`${tool} has another definition by now: look at it again (GET /actions/mcp/${name})`);
      return {
        id: row.action_id,
        ...actionFieldsOf(row.listed),
        confirm: confirmProposedBy(row.listed),
        is_changed: row.accepted !== null && row.accepted_hash !== row.listed_hash,
      };
    });
    await acceptListed(
      trx,
      orgId,
      name,
      tools.map((tool) => tool.name),
    );
    await updateDefinitions(trx, orgId, accepted);
    await syncHolds(trx, orgId, name);
    return getServer(trx, secrets, orgId, name);
  });
}

/** Disconnects a server. Its actions, headers and definitions go with it. Throws notFound. */
export async function removeServer(db: Db, orgId: string, name: string): Promise<void> {
  if (!(await deleteIntegration(db, orgId, KIND, name))) throw notFound('MCP server');
}

/** Returns a server with its tools. Throws notFound. */
export async function getServer(db: Db, secrets: Secrets, orgId: string, name: string) {
  const server = await existing(db, orgId, name);
  return shown(server, await getConnection(db, secrets, orgId, name), await listToolsOf(db, orgId, name));
}

/** Returns all servers of an org by name, each with its tools. */
export async function readServers(db: Db, secrets: Secrets, orgId: string) {
  const [servers, tools] = await Promise.all([listServers(db, orgId), listToolsOfOrg(db, orgId)]);
  const ofServer = Map.groupBy(tools, ({ server }) => server);
  return Promise.all(
    servers.map(async (server) =>
      shown(server, await getConnection(db, secrets, orgId, server.name), ofServer.get(server.name) ?? []),
    ),
  );
}

/** Returns where a server is, with its headers. Undefined if there is none of this name. */
export async function findConnection(
  db: Db,
  secrets: Secrets,
  orgId: string,
  name: string,
): Promise<ServerConnection | undefined> {
  const found = await findNamedConnection(db, secrets, orgId, { kind: KIND, name });
  if (found === undefined) return undefined;
  return {
    url: String(found.settings.url),
    headers: JSON.parse(found.secrets.headers ?? '{}'),
    savedAt: found.savedAt,
  };
}

async function getConnection(db: Db, secrets: Secrets, orgId: string, name: string): Promise<ServerConnection> {
  const connection = await findConnection(db, secrets, orgId, name);
  if (connection === undefined) throw notFound('MCP server');
  return connection;
}

async function existing(db: Db, orgId: string, name: string): Promise<ServerRow> {
  const server = await findServer(db, orgId, name);
  if (server === undefined) throw notFound('MCP server');
  return server;
}

const nowOf = async (db: Db, orgId: string, name: string): Promise<Date> => (await existing(db, orgId, name)).now;

/** Brings the tools of a locked server, and their actions, in line with its list. */
async function applyListing(
  trx: Trx,
  orgId: string,
  { name, url, listing, listedAt }: { name: string; url: string; listing: Listing; listedAt: Date },
): Promise<void> {
  const known = new Map((await listToolsOf(trx, orgId, name)).map((row) => [row.tool, row]));
  const taken = new Set(await listOperationIds(trx, orgId, ''));
  const offered: OfferedRow[] = [];
  const listed = listing.tools.map((tool) => {
    const definition = definitionOf(tool);
    const before = known.get(definition.name);
    const action_id = before?.action_id ?? newId();
    if (before === undefined || before.accepted === null)
      offered.push({
        id: action_id,
        tool: definition.name,
        // An action that is there keeps its id: this one is not used then.
        operation_id: before === undefined ? freeIdOf(operationIdOfTool(name, definition.name), taken) : action_id,
        ...actionFieldsOf(definition),
        confirm: confirmProposedBy(definition),
      });
    return {
      action_id,
      tool: definition.name,
      listed: definition,
      listed_hash: hashOf(definition),
      problem: problemOfTool(tool, url) ?? null,
    };
  });
  await upsertOffered(trx, orgId, { server: name, url, channels: SessionChannel.options }, offered);
  const hashes = new Map(listed.map(({ tool, listed_hash }) => [tool, listed_hash]));
  const changed = offered.flatMap(({ tool, operation_id: _, ...row }) => {
    const before = known.get(tool)?.listed_hash;
    return before === undefined || before === hashes.get(tool) ? [] : [{ ...row, is_changed: true }];
  });
  await updateDefinitions(trx, orgId, changed);
  await upsertListed(trx, orgId, name, listed);
  await removeUnlisted(
    trx,
    orgId,
    name,
    listed.map(({ tool }) => tool),
  );
  await syncHolds(trx, orgId, name);
  const { verdict, protocol } = listing;
  await storeListing(trx, orgId, { name, verdict: JSON.stringify(verdict), protocol, listedAt });
  await assertActionLimit(trx, orgId);
}

const hashOf = (definition: ToolDefinition): string =>
  createHash('sha256').update(canonicalJson(definition)).digest('hex');

const connectionOf = (name: string, { url, headers }: ServerAddress): NewConnection => ({
  kind: KIND,
  name,
  provider: KIND,
  settings: { url },
  secrets: { headers: JSON.stringify(headers) },
});

/** Headers are kept only for the scheme, host and port that they were given for. */
function keptHeaders(before: ServerConnection, url: string): Record<string, string> {
  const [first] = Object.keys(before.headers);
  if (first !== undefined && originOf(url) !== originOf(before.url))
    throw refusedHeader(first, 'send it again: it is not kept for another scheme, host or port');
  return before.headers;
}

function mergedHeaders(before: ServerConnection, url: string, given: Record<string, string>): Record<string, string> {
  const hasMoved = originOf(url) !== originOf(before.url);
  const stored = new Map(Object.entries(before.headers).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (value !== MASK) return [name, value];
      const kept = stored.get(name.toLowerCase());
      if (kept === undefined) throw refusedHeader(name, 'no value is stored to keep: send it');
      if (hasMoved) throw refusedHeader(name, 'send it again: it is not kept for another scheme, host or port');
      return [name, kept];
    }),
  );
}

function refusedHeader(name: string, message: string): DomainError {
  const issues: Issue[] = [{ path: `body.headers.${name}`, message }];
  return invalid(`The request is not valid: body.headers.${name}: ${message}`, issues);
}

const shown = ({ name, protocol, listed_at }: ServerRow, { url, headers }: ServerConnection, tools: ToolRow[]) => ({
  name,
  url,
  headers: Object.fromEntries(Object.keys(headers).map((header) => [header, MASK])),
  protocol,
  listed_at,
  tools: tools.map(shownTool),
});

function shownTool({ tool, action_id, listed, listed_hash, accepted, changed_at, problem, ...row }: ToolRow) {
  const changes = accepted === null || listed === null ? [] : changedParts(accepted, listed);
  return {
    name: tool,
    action_id,
    state: stateOf({ listed_hash, problem, ...row }),
    definition: listed,
    definition_hash: listed_hash,
    accepted,
    changes,
    changed_at,
    problem,
  };
}

function stateOf({ listed_hash, accepted_hash, problem }: Pick<ToolRow, 'listed_hash' | 'accepted_hash' | 'problem'>) {
  if (listed_hash === null) return 'gone' as const;
  if (problem !== null) return 'unusable' as const;
  if (accepted_hash === null) return 'new' as const;
  return accepted_hash === listed_hash ? ('accepted' as const) : ('changed' as const);
}
