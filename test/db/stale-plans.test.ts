import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { type Connection, connect } from '../../src/db/connect.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../support/stack/servers.ts';

let database: TestDatabase;
let program: Connection;
let migration: Connection;
beforeAll(async () => {
  database = await createTestDatabase();
  program = connect(database.url, { poolSize: 3 });
  migration = connect(database.url, { poolSize: 1 });
  await sql`create table growing (id integer primary key)`.execute(migration.db);
  await sql`insert into growing values (1)`.execute(migration.db);
});
afterAll(async () => {
  await Promise.all([program.close(), migration.close()]);
  await database.drop();
});

const read = (db: Connection['db'] = program.db) => sql`select * from growing where id = ${1}`.execute(db);
/** Has all connections of the program prepare the statement. */
const readOnAll = () => Promise.all(Array.from({ length: 3 }, () => inTransaction(program.db, (trx) => read(trx))));
const grow = (column: string) =>
  sql`alter table growing add column ${sql.ref(column)} integer default 7`.execute(migration.db);

it('a statement that is prepared on all connections still works once a migration gives its table another column', async () => {
  await readOnAll();
  await grow('one');
  expect((await Promise.all([read(), read(), read()])).map(({ rows }) => rows)).toEqual([
    [{ id: 1, one: 7 }],
    [{ id: 1, one: 7 }],
    [{ id: 1, one: 7 }],
  ]);
});

it('a snapshot with such a statement is read again', async () => {
  const program = fork(fileURLToPath(new URL('./support/reader.ts', import.meta.url)), [database.url]);
  expect(await once(program, 'message')).toEqual(['prepared', undefined]);
  await grow('snapped');
  program.send('snapshot');
  const [done] = await once(program, 'message');
  expect(done).toMatchObject({ tries: 2, rows: [{ id: 1, snapped: 7 }] });
});

it('a transaction with such a statement is done again', async () => {
  const program = fork(fileURLToPath(new URL('./support/reader.ts', import.meta.url)), [database.url]);
  expect(await once(program, 'message')).toEqual(['prepared', undefined]);
  await grow('two');
  program.send('transact');
  const [done] = await once(program, 'message');
  expect(done).toMatchObject({ tries: 2, rows: [{ id: 1, one: 7, two: 7 }] });
  const { rows } = await sql`select count(*) as count from growing`.execute(migration.db);
  expect(rows).toEqual([{ count: 2 }]);
});
