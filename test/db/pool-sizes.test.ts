import fc from 'fast-check';
import { connect } from '../../src/db/connect.ts';
import {
  allowedConnections,
  type ConnectionLimits,
  MIN_POOL_SIZE,
  neededConnections,
  poolSizeFor,
} from '../../src/db/connections/pool-sizes.rules.ts';
import { createTestDatabase } from '../support/stack/servers.ts';

const limit = fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: 600 }));
const limits = fc.record<ConnectionLimits>({
  max_connections: fc.integer({ min: 10, max: 1_000 }),
  reserved: fc.integer({ min: 0, max: 10 }),
  database_limit: limit,
  user_limit: limit,
});

describe('the size of a pool', () => {
  it.each([
    ['the default of Postgres, three processes', { max_connections: 100 }, 3, 20, 20],
    ['the default of Postgres, five processes', { max_connections: 100 }, 5, 20, 10],
    ['too few connections', { max_connections: 40 }, 4, 20, undefined],
    ['a limit of the user', { max_connections: 500, user_limit: 60 }, 3, 20, 10],
    ['a limit of the database', { max_connections: 500, database_limit: 60 }, 3, 20, 10],
  ])('%s', (_, given, processes, wanted, size) => {
    const all = { reserved: 3, database_limit: -1, user_limit: -1, ...given };
    expect(poolSizeFor(all, processes, wanted)).toBe(size);
  });

  it('is never above the wanted one, and all pools fit in what Postgres allows', () => {
    fc.assert(
      fc.property(
        limits,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 4, max: 100 }),
        (of, processes, wanted) => {
          const size = poolSizeFor(of, processes, wanted);
          if (size === undefined) return neededConnections(processes, MIN_POOL_SIZE) > allowedConnections(of);
          return (
            size >= MIN_POOL_SIZE && size <= wanted && neededConnections(processes, size) <= allowedConnections(of)
          );
        },
      ),
    );
  });
});

it('the time limits of a session are set on each connection, and not by its start, which poolers refuse', async () => {
  const database = await createTestDatabase();
  const { pool, close } = connect(database.url, { poolSize: 1, lockTimeoutMs: 2_000 });
  const { rows } = await pool.query(`
    select name, setting, source from pg_settings
    where name in ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout') order by name
  `);
  expect(rows).toEqual([
    { name: 'idle_in_transaction_session_timeout', setting: '60000', source: 'session' },
    { name: 'lock_timeout', setting: '2000', source: 'session' },
    { name: 'statement_timeout', setting: '30000', source: 'session' },
  ]);
  await close();
  await database.drop();
});
