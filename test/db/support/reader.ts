import { sql } from 'kysely';
import { connect, type Db, type Trx } from '../../../src/db/connect.ts';
import { inSnapshot } from '../../../src/db/snapshot.ts';
import { inTransaction } from '../../../src/db/transaction.ts';

// A program with one connection. It first reads the table "growing", and then writes and reads it in a transaction. A process
// names only so many statements: tests that share one may have used them up.
const [databaseUrl = ''] = process.argv.slice(2);
const { db, close } = connect(databaseUrl, { poolSize: 1 });
const read = (on: Db | Trx) => sql`select * from growing where id = ${1}`.execute(on);

async function transact() {
  let tries = 0;
  const { rows } = await inTransaction(db, async (trx) => {
    tries++;
    await sql`insert into growing values (${tries + 1})`.execute(trx);
    return read(trx);
  });
  await close();
  return { tries, rows };
}

/** Reads as an export does. */
async function snapshot() {
  let tries = 0;
  const { rows } = await inSnapshot(db, (trx) => {
    tries++;
    return read(trx);
  });
  await close();
  return { tries, rows };
}

const WORKS = { transact, snapshot };
process.once(
  'message',
  (work: keyof typeof WORKS) => void WORKS[work]().then((done) => process.send?.(done, () => process.disconnect())),
);
await read(db);
process.send?.('prepared');
