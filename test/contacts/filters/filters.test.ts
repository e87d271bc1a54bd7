import fc from 'fast-check';
import { type SqlBool, sql } from 'kysely';
import { anyGroup } from '../../../src/contacts/filters/queries.ts';
import { type ContactCondition, type ContactFilter, PublicFilter } from '../../../src/contacts/filters/schema.ts';
import { compileFilter, prepareFilter } from '../../../src/contacts/filters/service.ts';
import { startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { filterOf, HOSTILE, matches, type Person, people } from './oracle.ts';

const ROUNDS = process.env.TEST_TIER === 'long' ? 3000 : 250;

let api: TestApi;
let all: Person[];
let sequences: string[];
/** Segments containing one another. The last one contains itself through another. */
const segments: Record<string, ContactFilter | null> = {};
beforeAll(async () => {
  api = await startApi();
  sequences = [crypto.randomUUID(), crypto.randomUUID()];
  all = fc.sample(people(sequences), { numRuns: 1, seed: 3 })[0] as Person[];
  await seed(api.org, all, sequences);
  const twin = sequences.map(() => crypto.randomUUID());
  const foreign = all.map((person) => ({
    ...person,
    id: crypto.randomUUID(),
    sequences: person.sequences.map((id) => twin[sequences.indexOf(id)] as string),
  }));
  await seed(api.other, foreign, twin);

  for (const filter of [null, ...fc.sample(filterOf(all, sequences, []), { numRuns: 4, seed: 5 })])
    await addSegment(filter);
  const inner = Object.keys(segments);
  for (const filter of fc.sample(filterOf(all, sequences, inner), { numRuns: 6, seed: 7 })) await addSegment(filter);
});
afterAll(() => api.close());

async function addSegment(filter: ContactFilter | null): Promise<void> {
  const id = crypto.randomUUID();
  segments[id] = filter;
  const json = filter === null ? null : JSON.stringify(filter);
  await api.db.insertInto('segments').values({ org_id: api.org.id, id, name: 's', filter: json }).execute();
}

async function seed(org: TestOrg, persons: Person[], ids: string[]): Promise<void> {
  const { db } = api;
  const org_id = org.id;
  await db
    .insertInto('contacts')
    .values(
      persons.map(({ sequences: _, contactedAt: __, sessions: ___, custom_data, ...person }) => ({
        ...person,
        org_id,
        custom_data: JSON.stringify(custom_data),
      })),
    )
    .execute();
  for (const id of ids) {
    await sql`insert into sequences (org_id, id, name, is_continuous, status) values (${org_id}, ${id}, 's', true, 'active')`.execute(
      db,
    );
  }
  let tickets = 0;
  for (const { id, sequences: affected, contactedAt, sessions } of persons) {
    for (const sequenceId of affected) {
      await sql`insert into enrollments (org_id, id, sequence_id, contact_id)
        values (${org_id}, ${crypto.randomUUID()}, ${sequenceId}, ${id})`.execute(db);
    }
    for (const at of contactedAt) {
      await sql`insert into deliveries (org_id, id, channel, contact_id, status, sent_at)
        values (${org_id}, ${crypto.randomUUID()}, 'email', ${id}, 'sent', ${at})`.execute(db);
    }
    for (const { custom_data, last_message_at, isHandedOff } of sessions) {
      await sql`insert into sessions (org_id, id, ticket_number, contact_id, channel, custom_data, last_message_at, handoff)
        values (${org_id}, ${crypto.randomUUID()}, ${++tickets}, ${id}, 'api', ${JSON.stringify(custom_data)}, ${last_message_at},
          ${isHandedOff ? '{}' : null})`.execute(db);
    }
    await sql`insert into deliveries (org_id, id, channel, contact_id, status)
      values (${org_id}, ${crypto.randomUUID()}, 'email', ${id}, 'queued')`.execute(db);
  }
}

const expected = (filter: ContactFilter) =>
  all
    .filter((person) => matches(filter, person, segments))
    .map(({ id }) => id)
    .sort();

async function found(condition: ReturnType<typeof anyGroup>): Promise<string[]> {
  const rows = await api.db
    .selectFrom('contacts')
    .select('id')
    .where('org_id', '=', api.org.id)
    .where(condition)
    .execute();
  return rows.map(({ id }) => id).sort();
}

const searched = async (filter: ContactFilter, org = api.org) => {
  const { status, body } = await org.post('/contacts/search', { filter });
  expect({ status, body }).toMatchObject({ status: 200, body: { next: null } });
  return body.items.map(({ id }: { id: string }) => id).sort();
};

const one = (condition: ContactCondition): ContactFilter => ({ or: [{ and: [condition] }] });

describe('a composite filter', () => {
  it('matches the same contacts as a plain TypeScript implementation, with either lookup strategy', async () => {
    await fc.assert(
      fc.asyncProperty(filterOf(all, sequences, Object.keys(segments)), async (filter) => {
        const wanted = expected(filter);
        expect(await found(await compileFilter(api.db, api.org.id, filter))).toEqual(wanted);
        const compile = await prepareFilter(api.db, api.org.id, filter);
        expect(await found(anyGroup(compile('probes')))).toEqual(wanted);
      }),
      { numRuns: ROUNDS },
    );
  });

  it('matches the same contacts in the contact search of the API, for the whole public subset', async () => {
    await fc.assert(
      fc.asyncProperty(
        filterOf(all, sequences, []).filter((filter) => PublicFilter.safeParse(filter).success),
        async (filter) => {
          expect(await searched(filter)).toEqual(expected(filter));
        },
      ),
      { numRuns: Math.floor(ROUNDS / 5) },
    );
  });

  it('evaluates former states of contacts', async () => {
    await fc.assert(
      fc.asyncProperty(filterOf(all, sequences, Object.keys(segments)), async (filter) => {
        const condition = await compileFilter(api.db, api.org.id, filter);
        const { rows } = await sql<{ id: string }>`
          with former as (select jsonb_agg(to_jsonb(contacts)) as rows from contacts where org_id = ${api.org.id})
          select contacts.id from former, jsonb_populate_recordset(null::contacts, former.rows) as contacts where ${condition}
        `.execute(api.db);
        expect(rows.map(({ id }) => id).sort()).toEqual(expected(filter));
      }),
      { numRuns: Math.floor(ROUNDS / 10) },
    );
  });

  it('matches every contact if it is null', async () => {
    expect(await found(await compileFilter(api.db, api.org.id, null))).toHaveLength(all.length);
  });
});

describe('the filter types', () => {
  const contacted = () => all.find(({ contactedAt }) => contactedAt.length > 1) as Person;
  const mailed = () => all.find(({ email }) => email !== null) as Person;
  const called = () => all.find(({ phone_number }) => phone_number !== null) as Person;
  const enrolled = () => all.find(({ sequences: affected }) => affected.length > 0) as Person;
  const attributed = () => all.find(({ custom_data }) => Object.keys(custom_data).length > 1) as Person;
  const conditions: Record<string, () => ContactCondition> = {
    all_contacts: () => ({ type: 'all_contacts' }),
    contact_id_in: () => ({ type: 'contact_id_in', contact_ids: [mailed().id] }),
    contacts_created_at_between: () => ({
      type: 'contacts_created_at_between',
      after: mailed().created_at.toISOString(),
      before: new Date(mailed().created_at.getTime() + 1).toISOString(),
    }),
    contacts_email_domain_name_in: () => ({
      type: 'contacts_email_domain_name_in',
      domain_name_in: [(mailed().email as string).split('@')[1]?.toUpperCase() as string],
    }),
    contacts_affected_by_sequence: () => ({
      type: 'contacts_affected_by_sequence',
      sequence_id: enrolled().sequences[0] as string,
    }),
    contacts_name_in: () => ({ type: 'contacts_name_in', name_in: [''] }),
    contacts_phone_number_in: () => ({
      type: 'contacts_phone_number_in',
      phone_number_in: [called().phone_number as string],
    }),
    contacts_email_in: () => ({ type: 'contacts_email_in', email_in: [(mailed().email as string).toUpperCase()] }),
    contacts_attributes_in: () => ({ type: 'contacts_attributes_in', attributes: [attributed().custom_data] }),
    last_contacted_at_between: () => ({
      type: 'last_contacted_at_between',
      after: contacted().contactedAt.toSorted().at(-1)?.toISOString(),
    }),
    'last_contacted_at_between without bounds': () => ({ type: 'last_contacted_at_between' }),
    'contacts_created_at_between without bounds': () => ({ type: 'contacts_created_at_between' }),
  };
  it.each(Object.keys(conditions))('%s matches exactly the expected contacts', async (type) => {
    const filter = one((conditions[type] as () => ContactCondition)());
    const wanted = expected(filter);
    expect(wanted.length).toBeGreaterThan(0);
    expect(await searched(filter)).toEqual(wanted);
  });

  it.each(HOSTILE)('%j is data, as a value and as a key', async (text) => {
    for (const condition of [
      { type: 'contacts_attributes_in', attributes: [{ [text]: text }] },
      { type: 'contacts_name_in', name_in: [text] },
      { type: 'contacts_email_in', email_in: [text] },
      { type: 'contacts_phone_number_in', phone_number_in: [text] },
      { type: 'contacts_email_domain_name_in', domain_name_in: [text] },
      { type: 'contacts_affected_by_sequence', sequence_id: text },
    ] satisfies ContactCondition[]) {
      expect(await searched(one(condition))).toEqual(expected(one(condition)));
    }
  });

  it('a sequence is found by its custom_id', async () => {
    const [sequenceId] = sequences as [string];
    await sql`update sequences set custom_id = 'welcome' where org_id = ${api.org.id} and id = ${sequenceId}`.execute(
      api.db,
    );
    const byName = await searched(one({ type: 'contacts_affected_by_sequence', sequence_id: 'welcome' }));
    expect(byName).toEqual(expected(one({ type: 'contacts_affected_by_sequence', sequence_id: sequenceId })));
    expect(byName).not.toHaveLength(0);
  });

  it('the search accepts dates and milliseconds as bounds', async () => {
    const wanted = expected(one({ type: 'contacts_created_at_between', after: '2026-01-10T00:00:00Z' }));
    for (const after of [
      '2026-01-10',
      Date.UTC(2026, 0, 10),
      '2026-01-10T01:00:00+01:00',
      '2026-01-10 00:00:00',
      '2026-01-10T00:00:00',
    ]) {
      expect(await searched(one({ type: 'contacts_created_at_between', after, before: null }))).toEqual(wanted);
    }
  });

  it.each([
    { type: 'contacts_sessions_attributes_in', attributes: [{ a: 'b' }] },
    { type: 'contact_belongs_to_segment', segment_id: crypto.randomUUID() },
    { type: 'last_contacted_at_with_handoff_between' },
    { type: 'contacts_created_at_between', after: 'yesterday' },
    { type: 'contact_id_in', contact_ids: ['1'] },
    { type: 'unheard_of' },
  ])('the contact search rejects %j', async (condition) => {
    const { status, body } = await api.org.post('/contacts/search', { filter: { or: [{ and: [condition] }] } });
    expect(status).toBe(400);
    expect(body.issues.length).toBeGreaterThan(0);
  });
});

it('every value of a filter is bound: the SQL text contains none of them', async () => {
  const [secret] = HOSTILE as [string];
  const condition = await compileFilter(
    api.db,
    api.org.id,
    one({ type: 'contacts_attributes_in', attributes: [{ [secret]: secret }] }),
  );
  const { sql: text, parameters } = api.db
    .selectFrom('contacts')
    .select('id')
    .where(condition as never as SqlBool & never)
    .compile();
  expect(text).not.toContain('drop table');
  expect(JSON.stringify(parameters)).toContain('drop table');
});
