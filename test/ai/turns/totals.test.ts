import { sql } from 'kysely';
import { finishTurn, insertSteps } from '../../../src/ai/turns/ending.queries.ts';
import { insertTurn } from '../../../src/ai/turns/queries.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const stepOf = (step: number, isOfModel: boolean) => ({
  ...{ step, purpose: 'plan' as const, latency_ms: 1, detail: {} },
  ...(isOfModel && { usage: { input: 100, output: 10, cached: 0, estimated: false }, cost: 0.25 }),
});

it('a turn sums up what its steps used: those of its end, those at once, and one that comes late, each once', async () => {
  const org_id = api.org.id;
  const { id: session_id } = (await api.org.post('/chat/sessions', {})).body;
  const id = newId();
  const turn = { org_id, id, session_id, first_seq: 1, last_seq: 1, answers: [], message_id: newId() };
  await inTransaction(api.db, async (trx) => {
    await insertTurn(trx, { ...turn, config_version: 1, due_at: new Date(), isBegun: true });
  });
  const add = (step: number) => insertSteps(api.db, org_id, id, [stepOf(step, true)]).execute();
  await Promise.all([3, 4, 5, 3, 4, 5].map(add));
  const finish = (step: number) =>
    inTransaction(api.db, (trx) =>
      finishTurn(trx, org_id, id, { state: 'answered', steps: [stepOf(1, false), stepOf(step, true)] }),
    );
  await finish(6);
  await finish(7);
  await add(8);
  const { rows } = await sql`
    select input_tokens, output_tokens, cost::float8 as cost from ai_turns where org_id = ${org_id} and id = ${id}`.execute(
    api.db,
  );
  expect(rows).toEqual([{ input_tokens: 600, output_tokens: 60, cost: 1.5 }]);
});
