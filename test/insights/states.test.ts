import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { insightsOf, resolvedSaying } from './support.ts';

const PARCEL = 'My parcel has not arrived although it was sent two weeks ago';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

async function orgWithInsight(): Promise<{ org: TestOrg; id: string }> {
  const org = await stack.createOrg();
  await resolvedSaying(stack, org, PARCEL);
  const [insight] = await insightsOf(org);
  return { org, id: insight?.id ?? '' };
}

const eventsOf = (org: TestOrg, sent: string) =>
  eventually(sent, async () => {
    const left = await stack.db
      .selectFrom('outbox')
      .select('id')
      .where('org_id', '=', org.id)
      .where('type', '=', sent)
      .execute();
    return left.length === 0 || undefined;
  });

describe('a resolved insight', () => {
  it('reopens on the next occurrence, and says which session it was', async () => {
    const { org, id } = await orgWithInsight();
    const { body } = await org.post(`/insights/${id}/resolve`);
    expect(body).toMatchObject({
      status: 'resolved',
      resolved_at: expect.any(String),
      resolved_by: expect.any(String),
    });
    const session = await resolvedSaying(stack, org, PARCEL);
    expect((await org.get(`/insights/${id}`)).body).toMatchObject({
      status: 'unresolved',
      reopened_because: session,
      resolved_at: null,
      resolved_by: null,
      occurrence_count: 2,
    });
    await eventsOf(org, 'insight-reopened');
  });

  it('stays resolved where it is resolved again, and keeps the time', async () => {
    const { org, id } = await orgWithInsight();
    const first = await org.post(`/insights/${id}/resolve`);
    expect((await org.post(`/insights/${id}/resolve`)).body).toEqual(first.body);
    expect((await org.post(`/insights/${id}/reopen`)).body).toMatchObject({ status: 'unresolved', resolved_at: null });
  });
});

describe('an archived insight', () => {
  it('counts on in silence, and is only reopened by hand', async () => {
    const { org, id } = await orgWithInsight();
    const archived = await org.post(`/insights/${id}/archive`, { reason: 'The courier is changed' });
    expect(archived.body).toMatchObject({ status: 'archived', archived_reason: 'The courier is changed' });
    await resolvedSaying(stack, org, PARCEL);
    expect((await org.get(`/insights/${id}`)).body).toMatchObject({ status: 'archived', occurrence_count: 2 });
    expect((await org.post(`/insights/${id}/resolve`)).status).toBe(409);
    expect((await org.post(`/insights/${id}/reopen`)).body).toMatchObject({
      status: 'unresolved',
      archived_reason: null,
    });
  });
});

describe('an insight', () => {
  it('is assigned to a team of the org, and to nobody again', async () => {
    const { org, id } = await orgWithInsight();
    const team = (await org.post('/teams', { name: 'Logistics' })).body;
    const foreign = (await (await stack.createOrg()).post('/teams', { name: 'Other' })).body;
    const { body } = await org.post(`/insights/${id}/assign`, { groupId: team.id });
    expect(body.team).toEqual({ id: team.id, name: 'Logistics' });
    expect(await insightsOf(org, { teamId: team.id })).toHaveLength(1);
    expect(await insightsOf(org, { teamId: 'not_assigned' })).toEqual([]);
    expect((await org.post(`/insights/${id}/assign`, { groupId: foreign.id })).status).toBe(400);
    expect((await org.post(`/insights/${id}/assign`, { groupId: null })).body.team).toBeNull();
  });

  it('keeps the name and the category that people give it', async () => {
    const { org, id } = await orgWithInsight();
    expect((await org.patch(`/insights/${id}`, { category: 'Delivery' })).status).toBe(400);
    await org.put('/insights/categories', { categories: ['Delivery', 'Payment'] });
    expect((await org.get('/org/settings')).body.insight_categories).toEqual(['Delivery', 'Payment']);
    const { body } = await org.patch(`/insights/${id}`, { content: 'Parcels are late', category: 'Delivery' });
    expect(body).toMatchObject({ content: 'Parcels are late', category: 'Delivery' });
    await resolvedSaying(stack, org, PARCEL);
    expect(await insightsOf(org, { category: 'Delivery', search: 'LATE' })).toMatchObject([
      { content: 'Parcels are late', occurrence_count: 2 },
    ]);
    await org.put('/insights/categories', { categories: ['Payment'] });
    await eventually('no category', async () => (await org.get(`/insights/${id}`)).body.category === null || undefined);
  });

  it('is unknown to another org', async () => {
    const { id } = await orgWithInsight();
    const other = await stack.createOrg();
    expect((await other.get(`/insights/${id}`)).status).toBe(404);
    expect((await other.post(`/insights/${id}/resolve`)).status).toBe(404);
    expect((await other.get(`/insights/${id}/occurrences`)).status).toBe(404);
    expect(await insightsOf(other)).toEqual([]);
  });
});
