import { sql } from 'kysely';
import { inTransaction } from '../../src/db/transaction.ts';
import { NIL_UUID, newId } from '../../src/ids.ts';
import { announce } from '../../src/outbox/announcing.ts';
import { claimEvents } from '../../src/outbox/claim.ts';
import { runAsRequest } from '../../src/processes/current-work.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { untilOneWaits } from '../support/stack/lock-waits.ts';

const LOCK = 4_711;

describe('a claim of events', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
    await sql`alter function claim_events rename to claim_events_at_once`.execute(api.db);
    await sql`
      create function claim_events(behind uuid, max_events integer, share_after_failure float8)
        returns table (id bigint, org_id uuid, type text, subject_id uuid, payload jsonb, depth integer,
          created_at timestamptz, may_be_interrupted boolean)
        language plpgsql as $$
      begin
        perform pg_advisory_xact_lock_shared(${sql.lit(LOCK)});
        return query select * from claim_events_at_once(behind, max_events, share_after_failure);
      end
      $$
    `.execute(api.db);
  });
  afterAll(() => api.close());

  it('names the request of an event too that is committed during the claim, and no trace where none is recorded', async () => {
    await api.db.deleteFrom('outbox').execute();
    const { claiming } = await runAsRequest('the request', () =>
      inTransaction(api.db, async (trx) => {
        await sql`select set_config('switchboard.trace', '00-11-22-01', true)`.execute(trx);
        await announce(trx, api.org.id, [{ type: 'contact-created', subject_id: newId(), payload: {} }]);
        await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx);
        const claiming = inTransaction(api.db, (other) => claimEvents(other, 10, NIL_UUID));
        await untilOneWaits(api.db, sql`query like '%claim_events%'`);
        return { claiming };
      }),
    );
    const { events } = await claiming;
    expect(events.map(({ request_id }) => request_id)).toEqual(['the request']);
    expect(events.map(({ trace }) => trace)).toEqual([null]);
  });
});
