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

describe('operations that depend on one another', () => {
  const insightWith = async (org: TestOrg, text: string): Promise<string> =>
    (await insightsOf(org)).find(({ content }) => content === text)?.id ?? '';
  const undo = (org: TestOrg, id: string) => org.post(`/insights/operations/${id}/undo`);

  /** Two insights of two sessions each. The second is merged into the first, and one occurrence that it had is split off. */
  async function mergedAndSplit(content?: string) {
    const org = await stack.createOrg();
    for (const text of [PARCEL, PARCEL, PASSWORD]) await resolvedSaying(stack, org, text);
    const session = await resolvedSaying(stack, org, PASSWORD);
    const [parcel, password] = [await insightWith(org, PARCEL), await insightWith(org, PASSWORD)];
    const [merge] = (await org.post(`/insights/${parcel}/merge`, { insight_ids: [password] })).body.items;
    const { items } = (await org.get(`/insights/${parcel}/occurrences`)).body;
    const occurrence = items.find((one: { session_id: string }) => one.session_id === session);
    const split = (await org.post(`/insights/${parcel}/split`, { occurrence_ids: [occurrence.id], content })).body;
    return { org, parcel, password, session, merge, split: split.operation, newOne: split.insight.id as string };
  }

  it('are undone from the last one on, and every occurrence is back where it was', async () => {
    const { org, merge, split } = await mergedAndSplit();
    expect(await countsOf(org)).toEqual([
      [1, 3],
      [3, 1],
    ]);
    expect((await undo(org, split.id)).status).toBe(200);
    expect(await countsOf(org)).toEqual([[1, 4]]);
    expect((await undo(org, merge.id)).status).toBe(200);
    expect(await countsOf(org)).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  it('are refused while a later one stands, with its insight', async () => {
    const { org, merge, split } = await mergedAndSplit();
    const early = await undo(org, merge.id);
    expect([early.status, early.body.message]).toEqual([409, expect.stringContaining('Insight 3')]);
    await undo(org, split.id);
    expect((await undo(org, merge.id)).status).toBe(200);
    expect((await countsOf(org)).map(([, sessions]) => sessions)).toEqual([2, 2]);
  });

  it('are refused for a split whose occurrences were split off once more', async () => {
    const { org, ids } = await orgWithThree();
    await org.post(`/insights/${ids[0]}/merge`, { insight_ids: [ids[1], ids[2]] });
    const occurrencesOf = async (id: string): Promise<string[]> =>
      (await org.get(`/insights/${id}/occurrences`)).body.items.map((one: { id: string }) => one.id);
    const splitOff = async (id: string, count: number) => {
      const occurrence_ids = (await occurrencesOf(id)).slice(0, count);
      return (await org.post(`/insights/${id}/split`, { occurrence_ids })).body;
    };
    const first = await splitOff(ids[0], 2);
    const second = await splitOff(first.insight.id, 1);
    expect((await undo(org, first.operation.id)).status).toBe(409);
    expect((await undo(org, second.operation.id)).status).toBe(200);
    expect((await undo(org, first.operation.id)).status).toBe(200);
    expect(await countsOf(org)).toEqual([[1, 4]]);
  });

  it('take what has come to a split insight to where its occurrences go', async () => {
    const { org, merge, split, newOne } = await mergedAndSplit();
    const { items } = (await org.get(`/insights/${newOne}/occurrences`)).body;
    expect(items).toHaveLength(1);
    await resolvedSaying(stack, org, PASSWORD);
    await undo(org, split.id);
    await undo(org, merge.id);
    expect(await countsOf(org)).toEqual([
      [1, 2],
      [2, 3],
    ]);
    expect((await org.get(`/insights/${newOne}`)).body).toMatchObject({ number: 2 });
  });

  it('leave no word of a redacted session in the name of an insight that was split off', async () => {
    const { org, session, split } = await mergedAndSplit('The zirconium password');
    await undo(org, split.id);
    await org.post('/redaction/session', { sessionId: session });
    await eventually('no word', async () => !(await storedTextOf(stack, org)).includes('zirconium') || undefined);
    expect(await countsOf(org)).toEqual([[1, 3]]);
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

  it('archives an insight without statements that was named by hand, with its name', async () => {
    const org = await stack.createOrg();
    const session = await resolvedSaying(stack, org, SECRET);
    const [insight] = await insightsOf(org);
    await org.patch(`/insights/${insight?.id}`, { content: 'The zirconium ring of Ann' });
    await org.post('/redaction/session', { sessionId: session });
    await eventually('an archived insight', async () => (await insightsOf(org, { status: 'archived' }))[0]);
    expect(await insightsOf(org)).toMatchObject([{ number: 1, content: 'Redacted', occurrence_count: 0 }]);
    expect(await storedTextOf(stack, org)).not.toContain('zirconium');
    await resolvedSaying(stack, org, PASSWORD);
    expect(await insightsOf(org, { status: 'unresolved' })).toMatchObject([{ number: 2, content: PASSWORD }]);
  });

  it('keeps a name given by hand as long as others said it too', async () => {
    const org = await stack.createOrg();
    const session = await resolvedSaying(stack, org, SECRET);
    await resolvedSaying(stack, org, PARCEL);
    const [insight] = await insightsOf(org);
    await org.patch(`/insights/${insight?.id}`, { content: 'Parcels are late' });
    await org.post('/redaction/session', { sessionId: session });
    await eventually('one session', async () => (await insightsOf(org))[0]?.occurrence_count === 1 || undefined);
    expect(await insightsOf(org)).toMatchObject([{ content: 'Parcels are late', status: 'unresolved' }]);
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
