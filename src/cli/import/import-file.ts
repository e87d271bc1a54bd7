import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import { createImportClient, type Finding, type Job, type Target } from './client.ts';
import { describeFile, type LocalFile, type Piece, piecesOf } from './pieces.ts';

const POLL_MS = 500;
const COLUMNS = ['record', 'external_id', 'left_out', 'code', 'reason'];
/** More go into the file of `--report` only. */
const PRINTED_FINDINGS = 50;

/** What an import of a file has come to. */
export interface ImportTotals {
  records: number;
  created: number;
  updated: number;
  unchanged: number;
  left_out: number;
  incomplete: number;
}

export interface ImportOptions {
  path: string;
  target: Target;
  /** Where to write all that was left out, as CSV. */
  report: string | undefined;
  print(text: string): void;
  printProgress(text: string): void;
}

/** An import ended before its file did. */
export class ImportFailed extends Error {}

/**
 * Imports a file, a piece after the other, and prints the progress and what was left out. Whoever is interrupted calls it
 * again: what was imported stays as it is.
 */
export async function importFile({ path, target, report, print, printProgress }: ImportOptions): Promise<void> {
  const file = await describeFile(path);
  const client = createImportClient(target);
  const totals: ImportTotals = { records: 0, created: 0, updated: 0, unchanged: 0, left_out: 0, incomplete: 0 };
  const findings = createFindings(report, print);
  try {
    for await (const piece of piecesOf(file, { isWhole: target.resource === 'help_center' })) {
      const id = await client.start(file, piece);
      const job = await followed(
        () => client.job(id),
        (progress) => printProgress(progressOf(file, piece, progress, totals)),
      );
      if (job.left_out + job.incomplete > 0)
        for await (const [record, ...finding] of client.report(id))
          findings.add([String(Number(record) + totals.records), ...finding]);
      for (const name of Object.keys(totals) as (keyof ImportTotals)[]) totals[name] += job[name];
      if (job.status !== 'completed') throw new ImportFailed(job.reason ?? `The import ${id} is ${job.status}`);
    }
  } finally {
    await findings.close();
  }
  print(
    `${totals.records} records: ${totals.created} created, ${totals.updated} updated, ${totals.unchanged} unchanged, ${totals.left_out} left out, ${totals.incomplete} incomplete`,
  );
}

/** Waits for the end of an import. */
async function followed(read: () => Promise<Job>, show: (job: Job) => void): Promise<Job> {
  for (;;) {
    const job = await read();
    show(job);
    if (job.status !== 'running') return job;
    await sleep(POLL_MS);
  }
}

function progressOf(
  { size }: LocalFile,
  { start, end }: Piece,
  { progress, records, left_out }: Job,
  totals: ImportTotals,
): string {
  const share = size === 0 ? 1 : (start + (end - start) * progress) / size;
  return `${Math.floor(share * 100)} %, ${totals.records + records} records, ${totals.left_out + left_out} left out`;
}

/** Prints the first findings and the number of each kind, and writes all into a file if one is named. */
function createFindings(report: string | undefined, print: (text: string) => void) {
  const out = report === undefined ? undefined : createWriteStream(report);
  const counts = new Map<string, number>();
  let printed = 0;
  out?.write(stringify([COLUMNS]));
  return {
    add(finding: Finding) {
      const [record, externalId, leftOut, code, reason] = finding;
      const kind = `${leftOut === 'record' ? 'records left out' : 'records incomplete'}: ${code}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      out?.write(stringify([finding]));
      if (out === undefined && printed++ < PRINTED_FINDINGS)
        print(`${record} ${externalId}  ${leftOut}  ${code}  ${readable(reason)}`);
    },
    async close() {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      if (out === undefined && total > PRINTED_FINDINGS)
        print(`and ${total - PRINTED_FINDINGS} more: --report <file> writes all of them`);
      for (const [kind, count] of counts) print(`${count} ${kind}`);
      if (out !== undefined) await new Promise<void>((resolve, reject) => out.on('error', reject).end(resolve));
    },
  };
}

/** Reasons have words of others: none may control the terminal. */
const readable = (text: string) => text.replace(/\p{Cc}/gu, '\ufffd');
