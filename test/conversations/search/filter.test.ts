import fc from 'fast-check';
import { sql } from 'kysely';
import { newId } from '../../../src/ids.ts';
import { addMember } from '../../../src/orgs/members/service.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { type Case, type Cast, casesOf, expected, fieldsOf, type Request, requestsOf, TAGS } from './filter-oracle.ts';

const SESSIONS = 300;
const SEED = 20_260_131;

let api: TestApi;
let cast: Cast;
let cases: Case[];

beforeAll(async () => {
  api = await startApi();
  cast = await castOf(api.org);
  cases = await seed(api.org, cast);
  await seed(api.other, await castOf(api.other));
});
afterAll(() => api.close());

async function castOf(org: TestOrg): Promise<Cast> {
  const members = [];
  for (let n = 0; n < 2; n++)
    members.push(await addMember(api.db, org.id, { email: `${crypto.randomUUID()}@team.example` }));
  const teams = [];
  for (const name of ['Billing', 'Travel']) teams.push((await org.post('/teams', { name })).body.id);
  const contacts = [];
  for (const name of ['Ada', 'Grace'])
    contacts.push(
      (await org.post('/contacts', { contact: { name, email: `${crypto.randomUUID()}@example.com` } })).body.id,
    );
  for (const tag_name of TAGS) await org.put('/tags', { tag_name });
  return { members, teams, contacts };
}

/** Inserts sessions of an org directly into the tables, because no route sets all filterable fields. */
async function seed(org: TestOrg, cast: Cast): Promise<Case[]> {
  const drawn = fc.sample(casesOf(cast), { numRuns: SESSIONS, seed: SEED });
  const made = drawn.map((one, nth) => ({ ...one, id: newId(), ticket_number: nth + 1 }));
  const rows = made.map((one) => ({
    ...one,
    status: one.status_code === 0 ? 'open' : one.status_code === 1 ? 'closed_resolved' : 'closed_unresolved',
    custom_status_id: one.status_code > 2 ? one.status_code : null,
  }));
  await sql`
    insert into sessions (org_id, id, ticket_number, created_at, last_message_at, channel, status, custom_status_id, ai_closure_type,
      sentiment, assignee_id, team_id, contact_id, language, waiting_on, custom_data)
    select ${org.id}::uuid, id, ticket_number, created_at, last_message_at, channel, status, custom_status_id, ai_closure_type,
      sentiment, assignee_id, team_id, contact_id, language, waiting_on, custom_data
    from jsonb_populate_recordset(null::sessions, ${JSON.stringify(rows)}::jsonb)
  `.execute(api.db);
  await sql`
    insert into session_tags (org_id, session_id, tag_key)
    select ${org.id}::uuid, (one ->> 'id')::uuid, jsonb_array_elements_text(one -> 'tags')
    from jsonb_array_elements(${JSON.stringify(made)}::jsonb) as one
  `.execute(api.db);
  return made;
}

const filter = (body: object, org: TestOrg = api.org) => org.post('/chat/sessions/filter', body);
const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

/** Returns the ids of all pages of a request, one after the other. */
async function pagesOf(request: Request, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page += 1) {
    const { status, body } = await filter({ ...request, page, limit });
    if (status !== 200) throw new Error(JSON.stringify(body));
    expect(body).toMatchObject({ page, limit, has_previous: page > 1 });
    ids.push(...idsOf(body));
    if (!body.has_next) return ids;
    expect(body.data).toHaveLength(limit);
  }
}

describe('a filter of sessions', () => {
  it.each(Object.keys(fieldsOf({ members: [1], teams: ['t'], contacts: ['c'] })))(
    'by %s alone finds exactly the matching sessions',
    async (name) => {
      const field: fc.Arbitrary<unknown> = fieldsOf(cast)[name as 'channels'];
      const found = new Set<number>();
      const asked = field.map((value) => ({ filters: { [name]: value } }) as Request);
      await fc.assert(
        fc.asyncProperty(asked, async (request) => {
          const ids = await pagesOf(request, 100);
          expect(ids).toEqual(expected(request, cases));
          found.add(ids.length);
        }),
        { numRuns: 12, seed: SEED },
      );
      expect(Math.max(...found)).toBeGreaterThan(0);
      expect(Math.min(...found)).toBeLessThan(SESSIONS);
    },
  );

  it('by several fields finds the sessions matching all of them, in every sort order', async () => {
    await fc.assert(
      fc.asyncProperty(requestsOf(cast), async (request) => {
        expect(await pagesOf(request, 100)).toEqual(expected(request, cases));
      }),
      { numRuns: process.env.TEST_TIER === 'long' ? 100 : 40, seed: SEED },
    );
  });

  it('returns each session on exactly one page, for any page size', async () => {
    for (const limit of [7, 25, 100]) {
      const request = { filters: { status: [0, 1] }, sort_by: 'created_at' as const };
      expect(await pagesOf(request, limit)).toEqual(expected(request, cases));
    }
    const beyond = await filter({ page: 900 });
    expect(beyond.body).toEqual({ data: [], page: 900, limit: 25, has_next: false, has_previous: true });
  });

  it('returns all sessions by default, most recently active first, those without a message last', async () => {
    const { body } = await filter({});
    expect(idsOf(body)).toEqual(expected({ filters: {} }, cases).slice(0, 25));
    expect(body).toMatchObject({ page: 1, limit: 25, has_next: true, has_previous: false });
    const all = await pagesOf({ filters: {} }, 100);
    const silent = cases.filter(({ last_message_at }) => last_message_at === null).map(({ id }) => id);
    expect(all.slice(-silent.length).sort()).toEqual(silent.sort());
  });

  it('finds the few matches among thousands, anywhere in the order', async () => {
    const org = await api.createOrg();
    await sql`
      insert into sessions (org_id, id, ticket_number, channel, status, sentiment, created_at, last_message_at)
      select ${org.id}::uuid, uuidv7(), n, 'api', 'open', case when n % 1990 = 7 then 'angry' end, now() - n * interval '1 hour',
        case when n % 3 > 0 then now() - n * interval '1 minute' end
      from generate_series(1, 6000) n
    `.execute(api.db);
    const numbersOf = async (request: Partial<Request> & { page?: number; limit?: number }) => {
      const { body } = await filter({ filters: { sentiment: ['angry'] }, ...request }, org);
      return body.data.map(({ ticket_number }: { ticket_number: number }) => ticket_number);
    };
    const falling = [7, 1_997, 3_987, 5_977];
    expect(await numbersOf({ sort_by: 'created_at' })).toEqual(falling);
    expect(await numbersOf({ sort_by: 'created_at', sort_order: 'asc' })).toEqual(falling.toReversed());
    expect(await numbersOf({ sort_by: 'created_at', page: 2, limit: 3 })).toEqual([5_977]);
    expect(await numbersOf({ filters: {}, sort_by: 'created_at', page: 59, limit: 100 })).toEqual(
      Array.from({ length: 100 }, (_, nth) => 5_801 + nth),
    );
    expect(await numbersOf({ filters: { ticket_number: 6_000 } })).toEqual([6_000]);
  });

  it('reaches the last page of an org that the statistics do not know yet', async () => {
    const org = await api.createOrg();
    await sql`analyze sessions`.execute(api.db);
    await sql`
      insert into sessions (org_id, id, ticket_number, channel, status, created_at)
      select ${org.id}::uuid, uuidv7(), n, 'api', 'open', now() - n * interval '1 hour' from generate_series(1, 9000) n
    `.execute(api.db);
    const { body } = await filter({ filters: {}, sort_by: 'created_at', page: 90, limit: 100 }, org);
    expect(body.data?.map(({ ticket_number }: { ticket_number: number }) => ticket_number)).toEqual(
      Array.from({ length: 100 }, (_, nth) => 8_901 + nth),
    );
  });

  it('returns sessions in the same format as the other endpoints', async () => {
    const [id] = expected({ filters: {} }, cases) as [string];
    const { body } = await filter({ limit: 1 });
    expect(body.data[0]).toEqual((await api.org.get(`/chat/sessions/${id}`)).body);
  });

  it('never returns sessions of another org, and ids of another org match nothing', async () => {
    const foreign = await filter({ limit: 100 }, api.other);
    const [{ contact, team, assignee_id }] = foreign.body.data.filter(
      (one: { contact: object | null; team: object | null; assignee_id: number | null }) =>
        one.contact && one.team && one.assignee_id,
    );
    expect(idsOf(foreign.body).some((id) => cases.some((one) => one.id === id))).toBe(false);
    expect((await filter({ filters: { contact_ids: [contact.id] } })).body.data).toEqual([]);
    expect((await filter({ filters: { team_ids: [team.id] } })).body.data).toEqual([]);
    expect((await filter({ filters: { assignees: [assignee_id] } })).body.data).toEqual([]);
  });

  it('needs the scope to read sessions', async () => {
    expect((await (await api.org.withScopes('chat-sessions:read')).post('/chat/sessions/filter', {})).status).toBe(200);
    expect((await (await api.org.withScopes('tags:read')).post('/chat/sessions/filter', {})).status).toBe(403);
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 101 }, 'limit'],
    [{ page: 0 }, 'page'],
    [{ page: 1.5 }, 'page'],
    [{ page: 4_002 }, 'page'],
    [{ page: 1e15, limit: 1 }, 'page'],
    [{ sort_by: 'updated_at' }, 'sort_by'],
    [{ sort_order: 'up' }, 'sort_order'],
    [{ filters: { date: { from: '2026-01-01' } } }, 'filters.date.from'],
    [{ filters: { date: { to: '2026-01-01T00:00:00+01:00' } } }, 'filters.date.to'],
    [{ filters: { channels: ['fax'] } }, 'filters.channels.0'],
    [{ filters: { status: [-1] } }, 'filters.status.0'],
    [{ filters: { status: ['open'] } }, 'filters.status.0'],
    [{ filters: { ai_closure: [null] } }, 'filters.ai_closure.0'],
    [{ filters: { sentiment: ['sad'] } }, 'filters.sentiment.0'],
    [{ filters: { assignees: ['1'] } }, 'filters.assignees.0'],
    [{ filters: { ticket_number: 1.5 } }, 'filters.ticket_number'],
    [{ filters: { language: ['xx'] } }, 'filters.language.0'],
    [{ filters: { waiting_on: 'nobody' } }, 'filters.waiting_on'],
    [{ filters: { custom_data: [{ a: 1 }] } }, 'filters.custom_data.0.a'],
    [{ filters: { tags: 'refund' } }, 'filters.tags'],
    [{ filters: [] }, 'filters'],
  ])('refuses %j', async (body, path) => {
    const answer = await filter(body);
    expect(answer.status).toBe(400);
    expect(answer.body.issues.map((issue: { path: string }) => issue.path)).toContain(`body.${path}`);
  });

  it('accepts dates of any year', async () => {
    const date = { from: '0000-01-01T00:00:00Z', to: '9999-12-31T23:59:59.999999Z' };
    expect((await filter({ filters: { date } })).body.data).toHaveLength(25);
  });
});
