import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connect } from '../src/db/connect.ts';
import { migrateToLatest } from '../src/db/migrate.ts';
import { startGuard } from '../src/dev/guard.ts';
import { anyFreePort } from '../src/dev/ports.ts';
import { startPostgres } from '../src/dev/postgres.ts';
import { readSchema } from './schema/catalog.ts';
import { renderSchema } from './schema/render.ts';

const file = resolve('src/db/schema.sql');

/** Migrates an empty database on a separate server. Returns its schema as SQL. */
async function schemaOfMigrations(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-schema-'));
  chmodSync(folder, 0o755); // Postgres' own user has to reach its data in it
  const guard = startGuard(join(folder, 'processes.json'));
  try {
    const server = await startPostgres({
      folder: join(folder, 'postgres'),
      port: await anyFreePort(),
      password: 'schema',
      database: 'schema',
      logFile: join(folder, 'postgres.log'),
      guard,
      isThrowaway: true,
    });
    await migrateToLatest(server.url);
    const { db, close } = connect(server.url, { poolSize: 1 });
    const schema = await readSchema(db);
    await close();
    await server.stop(5_000);
    return renderSchema(schema);
  } finally {
    await guard.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const schema = await schemaOfMigrations();
if (process.argv.includes('--check')) {
  if ((await readFile(file, 'utf8')) !== schema)
    throw new Error('src/db/schema.sql differs from what the migrations make: run `npm run schema`');
  console.log(`${schema.match(/^create (unlogged )?table /gm)?.length} tables`);
} else {
  await writeFile(file, schema);
}
