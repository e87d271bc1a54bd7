import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { extracted, insightsOf, resolvedSaying, storedTextOf } from './support.ts';

const PARCEL = 'My parcel has not arrived although it was sent two weeks ago';
const PASSWORD = 'How do I change the password of my account';
const REFUND = 'Please refund the money for the broken lamp';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

/** An org with three insights: the first in two sessions. */
async function orgWithThree() {
  const org = await stack.createOrg();
  const sessions: string[] = [];
  for (const text of [PARCEL, PARCEL, PASSWORD, REFUND]) sessions.push(await resolvedSaying(stack, org, text));
  const ids = (await insightsOf(org, { sortBy: 'created_at', sortOrder: 'asc' })).map(({ id }) => id);
  return { org, sessions, ids: ids as [string, string, string] };
}

const countsOf = async (org: TestOrg) =>
  (await insightsOf(org, { sortBy: 'created_at', sortOrder: 'asc' })).map((one) => [one.number, one.occurrence_count]);

describe('a merge', () => {
  it('keeps every occurrence, and the old number and id lead to the insight', async () => {
    const { org, ids } = await orgWithThree();
    const merged = await org.post(`/insights/${ids[0]}/merge`, { insight_ids: [ids[1], ids[2]] });
    expect(merged.body.items).toHaveLength(2);
    expect(await countsOf(org)).toEqual([[1, 4]]);
    expect((await org.get(`/insights/${ids[1]}`)).body).toMatchObject({ id: ids[0], number: 1 });
    expect(await insightsOf(org, { insightNumber: 3 })).toMatchObject([{ number: 1 }]);
    expect((await org.get(`/insights/${ids[2]}/occurrences`)).body.items).toHaveLength(4);
    await resolvedSaying(stack, org, PASSWORD);
    expect(await countsOf(org)).toEqual([[1, 5]]);
  });

  it('is undone with all that it had moved', async () => {
    const { org, ids } = await orgWithThree();
    const [operation] = (await org.post(`/insights/${ids[0]}/merge`, { insight_ids: [ids[1]] })).body.items;
    const undone = await org.post(`/insights/operations/${operation.id}/undo`);
    expect(undone.body).toMatchObject({ kind: 'merge', undone_at: expect.any(String), undone_by: expect.any(String) });
    expect(await countsOf(org)).toEqual([
      [1, 2],
      [2, 1],
      [3, 1],
    ]);
    expect((await org.post(`/insights/operations/${operation.id}/undo`)).status).toBe(409);
    expect((await org.get(`/insights/operations?insight_id=${ids[1]}`)).body.items).toEqual([undone.body]);
  });

  it.each([
    ['itself', 400, (ids: string[]) => [ids[0]]],
    ['one that is unknown', 400, () => ['01920000-0000-7000-8000-000000000000']],
    ['one that is merged already', 409, (ids: string[]) => [ids[1]]],
  ])('the merge of an insight into %s is refused', async (_, status, pick) => {
    const { org, ids } = await orgWithThree();
    if (status === 409) await org.post(`/insights/${ids[2]}/merge`, { insight_ids: [ids[1]] });
    expect((await org.post(`/insights/${ids[0]}/merge`, { insight_ids: pick(ids) })).status).toBe(status);
    expect((await countsOf(org))[0]).toEqual([1, 2]);
  });
});

describe('a split', () => {
  it('makes occurrences an insight with the next number, and its undo brings them back', async () => {
    const { org, ids } = await orgWithThree();
    const [occurrence] = (await org.get(`/insights/${ids[0]}/occurrences`)).body.items;
    const body = { occurrence_ids: [occurrence.id], content: 'A second parcel' };
    const { operation, insight } = (await org.post(`/insights/${ids[0]}/split`, body)).body;
    expect(insight).toMatchObject({ number: 4, content: 'A second parcel', occurrence_count: 1 });
    expect((await countsOf(org)).sort()).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
    ]);
    await org.post(`/insights/operations/${operation.id}/undo`);
    expect(await countsOf(org)).toEqual([
      [1, 2],
      [2, 1],
      [3, 1],
    ]);
    expect(await insightsOf(org, { insightNumber: 4 })).toMatchObject([{ number: 1 }]);
  });

  it('a split of all occurrences, or of those of another insight, is refused', async () => {
    const { org, ids } = await orgWithThree();
    const occurrencesOf = async (id: string): Promise<string[]> =>
      (await org.get(`/insights/${id}/occurrences`)).body.items.map((one: { id: string }) => one.id);
    const all = await occurrencesOf(ids[0]);
    expect((await org.post(`/insights/${ids[0]}/split`, { occurrence_ids: all })).status).toBe(409);
    const others = await occurrencesOf(ids[1]);
    expect((await org.post(`/insights/${ids[0]}/split`, { occurrence_ids: others })).status).toBe(400);
  });
});

describe('the redaction of a session', () => {
  const SECRET = 'My parcel with the zirconium ring has not arrived although it was sent two weeks ago';

  it('leaves no word of it in any table, and names the insight by another quote', async () => {
    const org = await stack.createOrg();
    const session = await resolvedSaying(stack, org, SECRET);
    await resolvedSaying(stack, org, PARCEL);
    expect(await storedTextOf(stack, org)).toContain('zirconium');
    await org.post('/redaction/session', { sessionId: session });
    await eventually('no word', async () => !(await storedTextOf(stack, org)).includes('zirconium') || undefined);
    expect(await insightsOf(org)).toMatchObject([{ number: 1, content: PARCEL, occurrence_count: 1 }]);
    const histories = await stack.db
      .selectFrom('insight_statements')
      .select('session_id')
      .where('org_id', '=', org.id)
      .execute();
    expect(histories.map(({ session_id }) => session_id)).not.toContain(session);
  });

  it('archives an insight of which nothing is left', async () => {
    const org = await stack.createOrg();
    const session = await resolvedSaying(stack, org, SECRET);
    await org.post('/redaction/session', { sessionId: session });
    await eventually('an archived insight', async () => (await insightsOf(org, { status: 'archived' }))[0]);
    expect(await insightsOf(org)).toMatchObject([
      { content: 'Redacted', occurrence_count: 0, archived_reason: expect.any(String) },
    ]);
    expect(await storedTextOf(stack, org)).not.toContain('zirconium');
  });

  it('the redaction of one message takes what is left of the session', async () => {
    const org = await stack.createOrg();
    const session = await resolvedSaying(stack, org, SECRET, PASSWORD);
    const { items } = (await org.get(`/chat/sessions/${session}/history`)).body;
    const message = items.find(({ event }: { event: { type: string } }) => event.type === 'message');
    await org.post('/redaction/message', { messageId: message.id });
    await extracted(stack, org, session, 2);
    expect(await insightsOf(org, { status: 'unresolved' })).toMatchObject([{ content: PASSWORD, occurrence_count: 1 }]);
    expect(await storedTextOf(stack, org)).not.toContain('zirconium');
  });
});
