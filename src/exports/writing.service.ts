import type { Db, Trx } from '../db/connect.ts';
import { inSnapshot } from '../db/snapshot.ts';
import { inTransaction } from '../db/transaction.ts';
import { DomainError } from '../errors.ts';
import type { MediaLinks } from '../media/links.ts';
import { deleteUnclaimedMedia, keepMedia, type Media, storeOwnFile } from '../media/service.ts';
import { type Spool, spool } from '../media/spool.ts';
import type { EventType } from '../outbox/events.ts';
import { listPendingEvents } from '../outbox/pending.queries.ts';
import type { Storage } from '../providers/storage/port.ts';
import type { ExportProgress, ExportRef } from './contract.ts';
import { beginRun, completeRun, failRun, findExport, recordProgress, type StoredExport } from './queries.ts';
import { type FilePart, RESOURCES } from './resources.service.ts';
import type { ExportFormat, ExportResource } from './schema.ts';

/** The largest size of a file that the database takes is 2 GiB. */
const MAX_BYTES = 2_000 * 1024 ** 2;
const CHARACTERS_PER_CHUNK = 65_536;
const PROGRESS_INTERVAL_MS = 1_000;
const TYPES: Record<ExportFormat, string> = { ndjson: 'application/x-ndjson', csv: 'text/csv' };

export interface ExportDeps {
  db: Db;
  /** Connections for long transactions that only read. */
  snapshots: Db;
  storage: Storage;
  links: MediaLinks;
  publicUrl: string;
}

/**
 * The events whose erasures are in a snapshot that has them: they need not end the link (service.ts). A draft that was
 * learned from a redacted session is erased by a reaction, which comes later.
 */
const ERASED_WITH: Record<ExportResource, EventType[]> = {
  contacts: ['contact-deleted'],
  conversations: ['session-redacted', 'contact-deleted'],
  deliveries: [],
  knowledge: [],
};

/** A later run has taken over, or the export has ended: what this one has written is of no use. */
class Superseded extends Error {}

/**
 * Writes the whole file of an export from one snapshot of the database. Whoever is interrupted begins again, and only the
 * last run may complete the export: a link always leads to a whole file.
 */
export async function writeExport(
  deps: ExportDeps,
  ref: ExportRef,
  assertMayContinue: () => Promise<void> | void,
): Promise<ExportProgress> {
  const job = await beginRun(deps.db, ref);
  if (job !== undefined)
    await run(deps, job, assertMayContinue).catch(async (error: unknown) => {
      if (error instanceof DomainError && error.kind === 'too_large') return failRun(deps.db, job, tooLarge(error));
      if (!(error instanceof Superseded)) throw error;
    });
  const { state, written = 0 } = (await findExport(deps.db, ref)) ?? {};
  return { isEnded: state !== 'running', written };
}

const tooLarge = ({ message }: DomainError) => `${message}: export shorter periods by created_after and created_before`;

async function run(deps: ExportDeps, job: StoredExport, assertMayContinue: () => Promise<void> | void): Promise<void> {
  const { bytes, written } = await spoolRecords(deps, job, assertMayContinue);
  try {
    const file_name = `${job.resource}-${job.created_at.toISOString().slice(0, 10)}.${job.format}`;
    const described = { file_name, mime_type: TYPES[job.format], bytes };
    const media = await storeOwnFile(deps.db, deps.storage, job.org_id, described);
    if (await complete(deps.db, job, { media, bytes, written })) return;
    await deleteUnclaimedMedia(deps.db, deps.storage, [media]);
  } finally {
    await bytes.remove();
  }
}

interface WrittenFile {
  media: Media;
  bytes: Spool;
  written: number;
}

const complete = (db: Db, job: StoredExport, { media, bytes, written }: WrittenFile): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const file = { written, media_id: media.id, size: bytes.size, sha256: bytes.sha256 };
    if (!(await completeRun(trx, job, file))) return false;
    await keepMedia(trx, job.org_id, [media]);
    return true;
  });

/** Writes the records to a temporary file. All of them are read as they were at one moment. */
function spoolRecords(
  { db, snapshots, links, publicUrl }: ExportDeps,
  job: StoredExport,
  assertMayContinue: () => Promise<void> | void,
): Promise<{ bytes: Spool; written: number }> {
  const { resource, format, org_id: orgId, created_after, created_before } = job;
  return inSnapshot(snapshots, async (trx) => {
    const reading = { trx, orgId, links, publicUrl, created: { created_after, created_before } };
    await recordStart(db, trx, { job, total: await RESOURCES[resource].count(reading) });
    let written = 0;
    let reportAt = performance.now() + PROGRESS_INTERVAL_MS;
    const report = async ({ rows }: FilePart) => {
      written += rows;
      await assertMayContinue();
      if (performance.now() < reportAt) return;
      if (!(await recordProgress(db, job, { written }))) throw new Superseded();
      reportAt = performance.now() + PROGRESS_INTERVAL_MS;
    };
    const bytes = await spool(chunksOf(RESOURCES[resource].parts[format](reading), report), MAX_BYTES);
    return { bytes, written };
  });
}

/** Records what the snapshot says: how much there is to write, and which erasures have happened already. */
async function recordStart(db: Db, trx: Trx, { job, total }: { job: StoredExport; total: number }): Promise<void> {
  const known_erasures = await listPendingEvents(trx, job.org_id, ERASED_WITH[job.resource]);
  if (!(await recordProgress(db, job, { total, known_erasures }))) throw new Superseded();
}

async function* chunksOf(
  parts: AsyncIterable<FilePart>,
  report: (part: FilePart) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const part of parts) {
    text += part.text;
    if (text.length >= CHARACTERS_PER_CHUNK) {
      yield Buffer.from(text);
      text = '';
    }
    await report(part);
  }
  yield Buffer.from(text);
}
