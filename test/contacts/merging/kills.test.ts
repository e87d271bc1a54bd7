import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type FaultStack, startFaultStack } from '../../faults/support/fault-stack.ts';
import { IS_LONG, TEST_LIMIT_MS } from '../../faults/support/sizes.ts';

const ROUNDS = 15;
const SESSIONS = 400;
const MAX_WAIT_MS = 120;

(IS_LONG ? describe : describe.skip)('a merge of contacts', () => {
  let stack: FaultStack;
  beforeAll(async () => {
    stack = await startFaultStack();
  }, TEST_LIMIT_MS);
  afterAll(() => stack.close());

  it(
    'is done as a whole or not at all when the api is killed in the middle, and once when it is repeated',
    async () => {
      const org = await stack.newOrg();
      const save = async (email: string): Promise<string> =>
        (await org.call('POST', '/contacts', { contact: { email } })).body.id;
      const countOf = async (contactId: string) => {
        const { rows } = await sql<{ count: number }>`
          select count(*)::integer as count from sessions where org_id = ${org.id} and contact_id = ${contactId}
        `.execute(stack.db);
        return rows[0]?.count;
      };
      let done = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const [id, fromId] = [await save(`stays${round}@merges.example`), await save(`goes${round}@merges.example`)];
        await sql`
          insert into sessions (org_id, id, contact_id, channel, ticket_number)
          select ${org.id}::uuid, gen_random_uuid(), ${fromId}::uuid, 'web', ${round * SESSIONS} + n
          from generate_series(1, ${SESSIONS}) as n
        `.execute(stack.db);
        const begun = org.call('POST', `/contacts/${id}/merge`, { from_id: fromId }).catch(() => undefined);
        await sleep(Math.random() * MAX_WAIT_MS);
        await stack.api.kill();
        const answer = await begun;
        const counts = [await countOf(fromId), await countOf(id)];
        expect([
          [SESSIONS, 0],
          [0, SESSIONS],
        ]).toContainEqual(counts);
        if (answer?.status === 200) expect(counts).toEqual([0, SESSIONS]);
        if (counts[1] === SESSIONS) done++;
        await stack.api.start();
        const again = await org.call('POST', `/contacts/${id}/merge`, { from_id: fromId });
        expect([again.status, again.body.moved.sessions]).toEqual([200, SESSIONS]);
        expect([await countOf(fromId), await countOf(id)]).toEqual([0, SESSIONS]);
        const { rows } = await sql`
          select from contact_merges where org_id = ${org.id} and contact_id = ${id}
        `.execute(stack.db);
        expect(rows).toHaveLength(1);
      }
      expect(done).toBeLessThan(ROUNDS);
    },
    TEST_LIMIT_MS,
  );
});
