import type { Db, Trx } from '../db/connect.ts';
import { pageOf } from '../db/cursor.ts';
import { inTransaction } from '../db/transaction.ts';
import { conflict, missingScope, notFound, TooManyRequests, unavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import type { OrgPrincipal } from '../keys/verifier.ts';
import type { MediaLinks } from '../media/links.ts';
import { softDeleteMedia } from '../media/service.ts';
import { enqueue, signalWithStart } from '../outbox/outbox.ts';
import type { Reaction } from '../outbox/reactions.ts';
import { currentActor } from '../processes/current-work.ts';
import { SYSTEM } from '../schemas/actor.ts';
import { hasScope } from '../schemas/scopes.ts';
import { WAKE } from '../temporal/contract.ts';
import { EXPORT_RECORDS, type ExportRef } from './contract.ts';
import {
  cancelExport as cancel,
  expireSome,
  findExport,
  insertExport,
  listExports,
  lockAndCountRunning,
  revokeExports,
  type StoredExport,
} from './queries.ts';
import { RESOURCES } from './resources.service.ts';
import { ExportResource, type ListExports, type StartExport } from './schema.ts';

export { deleteOldExports, listRunningExports } from './queries.ts';

const MAX_RUNNING = 3;
const RETRY_SECONDS = 30;
const FILES_PER_EXPIRY = 100;
const ERASED = 'Texts or contacts were erased after it began: export again';

/** Returns the command to write the file of an export. */
export const runExport = (ref: ExportRef) =>
  signalWithStart(EXPORT_RECORDS, ref, WAKE, { subjectId: ref.exportId, summary: 'Export records' });

type Caller = Pick<OrgPrincipal, 'id' | 'scopes'>;

/** Begins an export, which a workflow continues. Throws missingScope, and TooManyRequests while the org has several. */
export function startExport(
  db: Db,
  { caller, hasStorage }: { caller: Caller; hasStorage: boolean },
  { resource, format, filter }: StartExport,
): Promise<{ id: string }> {
  assertMayRead(caller, resource);
  if (!hasStorage) throw unavailable('Files are not kept here: the operator has not set STORAGE_URL');
  const { created_after = null, created_before = null } = filter;
  return inTransaction(db, async (trx) => {
    if ((await lockAndCountRunning(trx, caller.id)) >= MAX_RUNNING)
      throw new TooManyRequests(`${MAX_RUNNING} exports are running: wait until one has ended`, RETRY_SECONDS, {
        code: 'too_many_at_once',
        limit: 'exports',
      });
    const id = newId();
    const actor = currentActor() ?? SYSTEM;
    await insertExport(trx, caller.id, { id, resource, format, created_after, created_before, actor });
    await enqueue(trx, caller.id, runExport({ orgId: caller.id, exportId: id }));
    return { id };
  });
}

function assertMayRead(caller: Caller, resource: ExportResource): void {
  const missing = RESOURCES[resource].scopes.find((scope) => !hasScope(caller, scope));
  if (missing !== undefined) throw missingScope(missing);
}

/** Returns an export with its progress, and the link to its file. Throws notFound, and missingScope. */
export async function getExport(db: Db, links: MediaLinks, caller: Caller, id: string) {
  return describe(links, await requireExport(db, caller, id));
}

async function requireExport(db: Db, caller: Caller, id: string): Promise<StoredExport> {
  const job = await findExport(db, { orgId: caller.id, exportId: id });
  if (job === undefined) throw notFound('export');
  assertMayRead(caller, job.resource);
  return job;
}

/** Returns a page of the exports whose contents the caller may read. */
export async function pageOfExports(db: Db, links: MediaLinks, caller: Caller, query: ListExports) {
  const resources = ExportResource.options.filter((name) =>
    RESOURCES[name].scopes.every((scope) => hasScope(caller, scope)),
  );
  const { items, next } = await pageOf(db, query, (page) => listExports(db, caller.id, resources, page));
  return { items: items.map((job) => describe(links, job)), next };
}

function describe(links: MediaLinks, job: StoredExport) {
  const { org_id, media_id, state, written, total, expires_at, created_after, created_before } = job;
  const isOver = expires_at !== null && expires_at <= new Date();
  const hasFile = state === 'completed' && media_id !== null && expires_at !== null && !isOver;
  return {
    ...job,
    filter: { created_after, created_before },
    status: state === 'completed' && isOver ? ('expired' as const) : state,
    progress: state === 'completed' || state === 'expired' ? 1 : Math.min(1, written / Math.max(1, total ?? 1)),
    rows: written,
    url: hasFile ? links.linkUntil({ org_id, id: media_id }, expires_at) : null,
  };
}

/** Ends a running export, or deletes the file of a completed one. Repeated, it does nothing. Throws as getExport, and conflict. */
export async function cancelExport(db: Db, links: MediaLinks, caller: Caller, id: string) {
  await requireExport(db, caller, id);
  await inTransaction(db, async (trx) => {
    const canceled = await cancel(trx, { orgId: caller.id, exportId: id });
    if (typeof canceled?.media_id === 'string') await softDeleteMedia(trx, caller.id, [canceled.media_id]);
  });
  const job = await getExport(db, links, caller, id);
  if (job.status !== 'canceled') throw conflict(`This export has no file: it is ${job.status}`);
  return job;
}

/** Reaction to `session-redacted`: no file has the texts any more. */
export const revokeOnRedaction: Reaction<'session-redacted'> = (trx, orgId, events) =>
  revoke(trx, orgId, events, ['conversations', 'knowledge']);

/** Reaction to `contact-deleted`: no file has the contact any more. */
export const revokeOnContactDeletion: Reaction<'contact-deleted'> = (trx, orgId, events) =>
  revoke(trx, orgId, events, ['contacts', 'conversations']);

async function revoke(trx: Trx, orgId: string, erased: { id: number }[], resources: ExportResource[]): Promise<void> {
  const events = erased.map(({ id }) => id);
  await softDeleteMedia(trx, orgId, await revokeExports(trx, orgId, { events, resources, reason: ERASED }));
}

/** Ends some exports whose links have expired, with their files. Returns their number. */
export const expireExports = (db: Db): Promise<number> =>
  inTransaction(db, async (trx) => {
    const expired = await expireSome(trx, FILES_PER_EXPIRY);
    for (const { org_id, media_id } of expired) await softDeleteMedia(trx, org_id, [media_id]);
    return expired.length;
  });
