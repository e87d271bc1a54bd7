import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { createCentroidCache } from '../../src/insights/assignment/centroid-cache.ts';
import { assignStatements } from '../../src/insights/assignment/service.ts';
import { extractStatements } from '../../src/insights/extraction/service.ts';
import { textsIn } from '../support/payloads.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { type Stack, startStack } from '../support/stack/stack.ts';
import { insightsOf, resolvedSaying } from './support.ts';

const PARCEL = 'My parcel has not arrived although it was sent two weeks ago';
const PASSWORD = 'How do I change the password of my account';

let stack: Stack;
let org: TestOrg;
let contactId: string;
let parcelSession: string;
beforeAll(async () => {
  stack = await startStack();
  org = await stack.createOrg();
  const contact = { contact: { email: 'ann@example.com', custom_data: { plan: 'pro' } } };
  contactId = (await org.post('/contacts', contact)).body.id;
  parcelSession = await resolvedSaying(stack, org, PARCEL);
  await resolvedSaying(stack, org, PASSWORD);
  await stack.db
    .updateTable('sessions')
    .set({ contact_id: contactId, language: 'de', sentiment: 'angry', custom_data: JSON.stringify({ order: 'A-1' }) })
    .where('org_id', '=', org.id)
    .where('id', '=', parcelSession)
    .execute();
  await org.patch(`/chat/sessions/${parcelSession}`, { status: 'closed_unresolved' });
});
afterAll(() => stack.close());

describe('a query of insights', () => {
  it.each<[string, () => object]>([
    ['the contact of a session', () => ({ sessionContactId: contactId })],
    ['the language of a session', () => ({ sessionLanguage: 'de' })],
    ['the sentiment of a session', () => ({ ticketSentiment: 'angry' })],
    ['the status of a session', () => ({ sessionStatus: 'closed_unresolved' })],
    ['the data of a session', () => ({ ticketCustomData: [{ order: 'B' }, { order: 'A-1' }] })],
    ['the data of a contact', () => ({ contactCustomData: [{ plan: 'pro' }] })],
    ['the number', () => ({ insightNumber: 1 })],
    ['a part of the content', () => ({ search: 'PARCEL has' })],
    ['all of them', () => ({ sessionLanguage: 'de', channel: 'api', search: 'parcel', status: 'unresolved' })],
  ])('finds it by %s', async (_, query) => {
    expect(await insightsOf(org, query())).toMatchObject([{ number: 1, occurrence_count: 1 }]);
  });

  it.each([
    ['another channel', { channel: 'sms' }],
    ['sessions of the past', { sessionToDate: '2020-01-01' }],
    ['more sessions than there are', { minSessions: 2 }],
    ['a sentiment that nobody has', { sentiment: 'happy' }],
    ['a status that none has', { status: 'archived' }],
    ['a value that no session has', { ticketCustomData: [{ order: 'A-1', plan: 'x' }] }],
  ])('finds nothing for %s', async (_, query) => {
    expect((await org.post('/insights', query)).body).toEqual({ data: [], page: 1, total: 0, totalPages: 0 });
  });

  it('takes null for no condition, and says how many there are on a page behind the last', async () => {
    const nothing = { category: null, status: null, sentiment: null, teamId: null, ticketCustomData: null };
    expect(await insightsOf(org, { ...nothing, sortBy: 'first_seen_at', sortOrder: 'asc' })).toMatchObject([
      { number: 1 },
      { number: 2 },
    ]);
    expect((await org.post('/insights', { page: 2 })).body).toEqual({ data: [], page: 2, total: 2, totalPages: 1 });
  });

  it.each([{ page: 0 }, { status: 'new' }, { teamId: 'nobody' }, { minSessions: 0 }, { sessionFromDate: 'soon' }])(
    'refuses %j',
    async (query) => {
      expect((await org.post('/insights', query)).status).toBe(400);
    },
  );
});

describe('an extraction', () => {
  it('shows no change to a caller of updated_after while an earlier one is not committed', async () => {
    const [first = '', second = ''] = (await insightsOf(org, { sortBy: 'first_seen_at', sortOrder: 'asc' })).map(
      ({ id }) => id,
    );
    const since = new Date().toISOString();
    const changed = async () => (await insightsOf(org, { updated_after: since })).map(({ id }) => id);
    const touch = (db: Db, id: string) =>
      sql`update insights set updated_at = now() where org_id = ${org.id} and id = ${id}`.execute(db);
    await inTransaction(stack.db, async (trx) => {
      await touch(trx, first);
      await touch(stack.db, second);
      expect(await changed()).toEqual([]);
    });
    expect((await changed()).toSorted()).toEqual([first, second].toSorted());
  });

  it('a repeated extraction changes no id and no count', async () => {
    const inOrder = { sortBy: 'created_at', sortOrder: 'asc' };
    const before = await org.post('/insights', inOrder);
    const { number } = await stack.db
      .selectFrom('insight_extractions')
      .select('number')
      .where('session_id', '=', parcelSession)
      .executeTakeFirstOrThrow();
    const deps = { db: stack.db } as Parameters<typeof extractStatements>[0];
    const input = { orgId: org.id, sessionId: parcelSession, number };
    await extractStatements(deps, input, { signal: new AbortController().signal, isLastTry: false });
    await assignStatements(stack.db, createCentroidCache(), org.id, parcelSession);
    await org.patch(`/chat/sessions/${parcelSession}`, { status: 'open' });
    await org.patch(`/chat/sessions/${parcelSession}`, { status: 'closed_resolved' });
    await resolvedSaying(stack, org, 'Nothing of this is like the rest');
    const after = await org.post('/insights', inOrder);
    expect(after.body.data.slice(0, 2)).toEqual(before.body.data);
  });

  it('writes no word of the customer into the history of its workflow', async () => {
    const { number } = await stack.db
      .selectFrom('insight_extractions')
      .select('number')
      .where('session_id', '=', parcelSession)
      .orderBy('number')
      .executeTakeFirstOrThrow();
    const handle = stack.temporal.workflow.getHandle(`insight-extraction/${parcelSession}/${number}`);
    const kept = textsIn((await handle.fetchHistory()).events);
    expect(kept).toContain(parcelSession); // its input was read
    expect(kept).not.toMatch(/parcel|arrived/i);
  });
});
