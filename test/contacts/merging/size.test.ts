import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import { startApi } from '../../support/stack/api.ts';

const inLongTier = process.env.TEST_TIER === 'long' ? it : it.skip;
const ROWS = 10_000;
const MAX_MS = 15_000;

inLongTier('10,000 sessions and as many deliveries move in seconds, without a row more or less', async () => {
  const { org, db, close } = await startApi();
  const save = async (email: string): Promise<string> => (await org.post('/contacts', { contact: { email } })).body.id;
  const [id, fromId] = [await save('stays@size.example'), await save('goes@size.example')];
  await sql`
    insert into sessions (org_id, id, contact_id, channel, ticket_number)
    select ${org.id}::uuid, gen_random_uuid(), ${fromId}::uuid, 'web', n from generate_series(1, ${ROWS}) as n
  `.execute(db);
  await sql`
    insert into deliveries (org_id, id, contact_id, channel, "to", status)
    select ${org.id}::uuid, gen_random_uuid(), ${fromId}::uuid, 'email', 'goes@size.example', 'delivered'
    from generate_series(1, ${ROWS})
  `.execute(db);
  await sql`analyze sessions, deliveries`.execute(db);
  const setOf = async () => {
    const { rows } = await sql<{ digest: string }>`
      select md5(string_agg(id::text, ',' order by id)) as digest
      from (select id from sessions where org_id = ${org.id} union all select id from deliveries where org_id = ${org.id}) as one
    `.execute(db);
    return rows[0]?.digest;
  };
  const before = await setOf();
  const previewedAt = performance.now();
  await org.post(`/contacts/${id}/merge`, { from_id: fromId, preview: true });
  const begunAt = performance.now();
  const { status, body } = await org.post(`/contacts/${id}/merge`, { from_id: fromId });
  const tookMs = performance.now() - begunAt;
  process.stderr.write(`preview ${Math.round(begunAt - previewedAt)} ms, merge ${Math.round(tookMs)} ms\n`);
  expect([status, body.moved.sessions, body.moved.deliveries]).toEqual([200, ROWS, ROWS]);
  expect(tookMs).toBeLessThan(MAX_MS);
  expect(await setOf()).toBe(before);

  // All kinds count together, with the earlier merge.
  const other = await save('other@size.example');
  for (const preview of [true, false]) {
    const refused = await org.post(`/contacts/${other}/merge`, { from_id: id, preview });
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('20000')]);
  }
  expect((await org.post(`/contacts/${id}/merge`, { from_id: other })).status).toBe(200);
  await close();
});
