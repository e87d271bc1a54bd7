import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { NIL_UUID } from '../../src/ids.ts';
import { claimEvents } from '../../src/outbox/claim.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

const BACKLOG = 10_000;
const BATCH = 500;
/** Comparing each event with each other one takes some tens of seconds. */
const LIMIT_MS = 1_500;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const claimOn = (one: Db) => inTransaction(one, (trx) => claimEvents(trx, BATCH, NIL_UUID));

it('a backlog is claimed fast also on a connection whose statements were planned while the outbox was empty', async () => {
  await api.db.connection().execute(async (one) => {
    for (let claim = 0; claim < 12; claim++) expect((await claimOn(one)).events).toEqual([]);
    await sql`
      insert into outbox (org_id, kind, type, subject_id, payload)
      select ${api.org.id}::uuid, 'event', 'contact-created', gen_random_uuid(), '{}' from generate_series(1, ${BACKLOG})
    `.execute(api.db);
    const began = performance.now();
    const { events } = await claimOn(one);
    expect(performance.now() - began).toBeLessThan(LIMIT_MS);
    expect(events.map(({ id }) => id)).toEqual(events.map(({ id }) => id).toSorted((a, b) => a - b));
    expect(events).toHaveLength(BATCH);
  });
});
