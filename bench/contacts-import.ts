import { chmodSync, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import type { Db } from '../src/db/connect.ts';
import { newId } from '../src/ids.ts';
import { type Finding, memoryFinding, note, rateFinding, report } from './support/report.ts';
import { seedOrg } from './support/seed.ts';
import { type Stack, withStack } from './support/stack.ts';

// A CSV file of contacts, imported, beside a bare COPY of the same rows into a table with the same indexes.
const CONTACTS = 100_000;
const WARM_UP = 10_000;
const ROUNDS = 3;
const LEAST_RATIO = 0.5;
const MAX_GROWTH_MB = 40;
const CITIES = 1_000;

const personOf = (n: number, round: string) => ({
  external_id: `crm-${round}-${n}`,
  email: `person${n}.${round}@d${(n * 7919) % 2003}.example`,
  phone: n % 2 === 0 ? `+4420${70_000_000 + n}` : '',
  name: `Name ${(n * 104_729) % 5003} ${n}`,
  city: `City ${(n * 7907) % CITIES}`,
});

function* csvOf(count: number, round: string) {
  yield 'external_id,email,phone,name,custom_data.plan,custom_data.city\n';
  for (let n = 0; n < count; n++) {
    const { external_id, email, phone, name, city } = personOf(n, round);
    yield `${external_id},${email},${phone},${name},pro,${city}\n`;
  }
}

function* copyOf(orgId: string, count: number, round: string) {
  for (let n = 0; n < count; n++) {
    const { external_id, email, phone, name, city } = personOf(n, round);
    yield `${orgId},${newId()},${email},${phone},${external_id},${name},"{""plan"":""pro"",""city"":""${city}""}"\n`;
  }
}

const write = (file: string, lines: Iterable<string>) => pipeline(Readable.from(lines), createWriteStream(file));

/** Copies rows into an empty table with the indexes of contacts. Returns how long it took. */
const copy = (db: Db, file: string): Promise<number> =>
  db.connection().execute(async (one) => {
    await sql`set statement_timeout = 0`.execute(one);
    const ms = await copyOn(one, file);
    await sql`reset all`.execute(one);
    return ms;
  });

async function copyOn(db: Db, file: string): Promise<number> {
  await sql`drop table if exists copied_contacts`.execute(db);
  await sql`create table copied_contacts (like contacts including all)`.execute(db);
  const began = performance.now();
  await sql`
    copy copied_contacts (org_id, id, email, phone_number, external_id, name, custom_data) from ${sql.lit(file)} with (format csv)
  `.execute(db);
  return performance.now() - began;
}

async function measure(stack: Stack): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-import-'));
  chmodSync(folder, 0o755); // Postgres' own user reads the files in it
  const program = await stack.start(
    import.meta.resolve('./support/programs/contact-importer.ts'),
    { STORAGE_FOLDER: join(folder, 'storage') },
    'worker',
  );
  const run = async (count: number, round: string) => {
    const file = join(folder, 'contacts.csv');
    await write(file, csvOf(count, round));
    await sql`truncate contacts cascade`.execute(stack.db);
    return program.ask<number>('run', { orgId, file });
  };
  const orgId = await seedOrg(stack.db, 0);
  await run(WARM_UP, 'warm-up');
  const before = program.peakMemoryMb();
  const rates = { imported: [] as number[], copied: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const rows = join(folder, 'rows.csv');
    await write(rows, copyOf(orgId, CONTACTS, String(round)));
    const copiedMs = await copy(stack.db, rows);
    const importedMs = await run(CONTACTS, String(round));
    note(
      `round ${round + 1}: imported in ${(importedMs / 1000).toFixed(1)} s, copied in ${(copiedMs / 1000).toFixed(1)} s`,
    );
    rates.copied.push((CONTACTS / copiedMs) * 1000);
    rates.imported.push((CONTACTS / importedMs) * 1000);
  }
  const growth = program.peakMemoryMb() - before;
  rmSync(folder, { recursive: true });
  return [
    rateFinding(`contacts-import: ${CONTACTS} contacts`, rates.imported, rates.copied, LEAST_RATIO),
    memoryFinding('contacts-import: growth of memory from 10,000 to 100,000', growth, MAX_GROWTH_MB),
  ];
}

await report(() => withStack({ hasTemporal: false }, measure));
