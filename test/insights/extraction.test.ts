import { sql } from 'kysely';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { extracted, insightsOf, resolvedSaying } from './support.ts';

const LAMP = 'The lamp that I bought in May is broken';
const PARCEL = 'My parcel has not arrived although it was sent two weeks ago';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

describe('a resolved session', () => {
  it('makes an insight of the longest sentence of the customer’s first message', async () => {
    const org = await stack.createOrg();
    await resolvedSaying(stack, org, `Hello, ${PARCEL}. Thanks!`, 'Are you there?');
    const { body } = await org.post('/insights', {});
    expect(body).toMatchObject({ page: 1, total: 1, totalPages: 1 });
    expect(body.data).toMatchObject([
      { number: 1, content: `${PARCEL}.`, status: 'unresolved', sentiment: null, occurrence_count: 1, team: null },
    ]);
    expect((await org.get(`/insights/${body.data[0].id}`)).body).toEqual(body.data[0]);
  });

  it('is an occurrence of the insight that it is like', async () => {
    const org = await stack.createOrg();
    await resolvedSaying(stack, org, PARCEL);
    await resolvedSaying(stack, org, `${PARCEL}!`);
    await resolvedSaying(stack, org, 'How do I change my password?');
    expect((await insightsOf(org)).map((one) => [one.number, one.occurrence_count])).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });
});

const TABLES = [
  'insights',
  'insight_statements',
  'insight_sessions',
  'insight_spaces',
  'insight_centroids',
  'insight_terms',
];

/** Every row of an org from which insights are made or shown. */
async function storedRows(org: TestOrg): Promise<object> {
  const rows = await Promise.all(
    TABLES.map(async (table) => {
      const kept = sql<{
        row: string;
      }>`select t::text as row from ${sql.table(table)} t where org_id = ${org.id} order by 1`;
      return [table, (await kept.execute(stack.db)).rows];
    }),
  );
  return Object.fromEntries(rows);
}

/** Waits until no session of an org is being extracted. */
const allDone = (org: TestOrg) =>
  eventually('the end of all workflows', async () => {
    const { count } = await stack.temporal.workflow.count(
      `OrgId = '${org.id}' and WorkflowType = 'extractInsights' and ExecutionStatus = 'Running'`,
    );
    return count === 0 || undefined;
  });

describe('sessions that are extracted again', () => {
  it('change no id, no count and no sum', async () => {
    const org = await stack.createOrg();
    const sessions: string[] = [];
    for (const text of [PARCEL, LAMP, `Hello! ${PARCEL}.`, 'How do I change my password?', LAMP])
      sessions.push(await resolvedSaying(stack, org, text));
    await allDone(org);
    const before = await storedRows(org);
    const shown = await insightsOf(org);
    for (const status of ['open', 'closed_resolved'])
      await Promise.all(sessions.map((id) => org.patch(`/chat/sessions/${id}`, { status })));
    await Promise.all(sessions.map((id) => extracted(stack, org, id, 2)));
    await allDone(org);
    expect(await storedRows(org)).toEqual(before);
    expect(await insightsOf(org)).toEqual(shown);
    expect(shown.map((one) => one.occurrence_count)).toEqual([2, 2, 1]);
  });
});
