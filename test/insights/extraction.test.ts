import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stack, startStack } from '../support/stack/stack.ts';
import { insightsOf, resolvedSaying } from './support.ts';

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
