import { getHeapSpaceStatistics } from 'node:v8';
import { sql } from 'kysely';
import { connect } from '../../../src/db/connect.ts';
import { runAsOwner } from '../../../src/processes/current-work.ts';

// Prints by how many MB the old space grows by queries whose answers nobody holds. Nothing is collected there meanwhile.

const TIMES = 1_000;
const MB = 1_048_576;

const { db, close } = connect(process.env.DATABASE_URL ?? '', { poolSize: 4 });
const query = () => sql`select ${'x'} || n as name from generate_series(1, 200) as n`.execute(db);
const oldSpaceMb = () =>
  (getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0) / MB;

const grownBy = async (ask: () => Promise<unknown>) => {
  const before = oldSpaceMb();
  for (let time = 0; time < TIMES; time++) await ask();
  return oldSpaceMb() - before;
};

await query();
console.log(JSON.stringify([await grownBy(query), await grownBy(() => runAsOwner('an org', query))]));
await close();
