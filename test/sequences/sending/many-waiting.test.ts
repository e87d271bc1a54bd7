import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { prepareBatch } from '../../../src/sequences/sending/batch.service.ts';
import { createSequence } from '../../support/channels.ts';
import { emailStep } from '../../support/sequences.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

/** More rows than two statements change at once. */
const COUNT = 12_000;

describe('a sequence with thousands of waiting contacts', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  /** Creates contacts deferred by quiet hours before One, or waiting for another try of it. */
  const waiting = async (status: 'held' | 'queued') => {
    const id = await createSequence(api.org, [emailStep('One'), emailStep('Two', 60)]);
    const { steps } = (await api.org.get(`/sequences/${id}`)).body;
    const { body } = await api.org.post(`/sequences/${id}/contacts`, { contacts: [{ email: `${id}@many.example` }] });
    await sql`
      with contact as (
        insert into contacts (org_id, id, email)
        select ${api.org.id}::uuid, gen_random_uuid(), n || ${`@${id}.example`} from generate_series(2, ${COUNT}) as n
        returning id
      )
      insert into enrollments (org_id, id, sequence_id, contact_id, run_id)
      select ${api.org.id}::uuid, gen_random_uuid(), ${id}::uuid, id, ${body.run_id}::uuid from contact
    `.execute(api.db);
    await sql`update enrollments set held_until = now() + interval '1 hour' where sequence_id = ${id}`.execute(api.db);
    await sql`
      insert into deliveries (org_id, id, channel, sequence_id, enrollment_id, step_id, contact_id, "to", status, gate, not_before)
      select org_id, gen_random_uuid(), 'email', sequence_id, id, ${steps[0].id}::uuid, contact_id, 'ann@many.example', ${status},
        ${status === 'held' ? 'quiet_hours' : null}, held_until
      from enrollments where sequence_id = ${id}
    `.execute(api.db);
    expect(await count('deliveries', id)).toEqual({ [status]: COUNT });
    return { id, runId: body.run_id as string, steps };
  };
  const count = async (table: 'deliveries' | 'enrollments', sequenceId: string) => {
    const { rows } = await sql<{ status: string; count: number }>`
      select status, count(*)::int as count from ${sql.table(table)} where sequence_id = ${sequenceId} group by status
    `.execute(api.db);
    return Object.fromEntries(rows.map((row) => [row.status, row.count]));
  };
  const take = (id: string) =>
    prepareBatch(api.db, api.org.id, id, { lease: randomUUID(), limit: 10, isAway: () => false });

  it.each(['held', 'queued'] as const)('ends all %s deliveries when it is canceled', async (status) => {
    const { id } = await waiting(status);
    expect((await api.org.put(`/sequences/${id}/cancel`)).status).toBe(200);
    expect(await take(id)).toBeUndefined();
    expect(await count('deliveries', id)).toEqual({ canceled: COUNT });
  });

  it('ends all enrollments and deliveries of a canceled run', async () => {
    const { id, runId } = await waiting('held');
    expect((await api.org.put(`/sequences/${runId}/cancel`)).status).toBe(200);
    await take(id);
    expect(await count('enrollments', id)).toEqual({ canceled: COUNT });
    expect(await count('deliveries', id)).toEqual({ canceled: COUNT });
  });

  it('advances all contacts to the next step when theirs is deleted', async () => {
    const { id, steps } = await waiting('held');
    expect((await api.org.patch(`/sequences/${id}`, { steps: [steps[1]] })).status).toBe(200);
    await take(id);
    expect(await count('deliveries', id)).toEqual({ canceled: COUNT });
    const { rows } = await sql`select from enrollments where sequence_id = ${id} and held_until is not null`.execute(
      api.db,
    );
    expect([rows.length, await count('enrollments', id)]).toEqual([0, { active: COUNT }]);
  });

  it('releases all deferred contacts once their gate is turned off', async () => {
    const { id } = await waiting('held');
    expect((await api.org.patch(`/sequences/${id}`, { gates: { quiet_hours: null } })).status).toBe(200);
    const batch = await take(id);
    expect(batch?.steps[0]?.enrollmentIds).toHaveLength(10);
    const { rows } = await sql`select from enrollments where sequence_id = ${id} and held_until > now()`.execute(
      api.db,
    );
    expect(rows).toEqual([]);
  });
});
