import { sql } from 'kysely';
import { newId } from '../../src/ids.ts';
import { startMaintenance } from '../../worker/maintenance.ts';
import { startApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';
import { unverified } from '../widget/client.ts';

it('the maintenance deletes stored answers after a day and expired login links, and nothing earlier', async () => {
  const { org, db, partner, config, close } = await startApi();
  try {
    for (const key of ['old', 'new']) {
      await org.post(
        '/contacts',
        { contact: { email: `${key}@example.com` } },
        { headers: { 'idempotency-key': key } },
      );
      await partner.post(`/partner/v1/orgs/${org.id}/login-links`, { email: `${key}@example.com` });
    }
    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await db.updateTable('idempotency_keys').set({ created_at: longAgo }).where('key', '=', 'old').execute();
    const [link] = await db.selectFrom('login_links').select('token_hash').execute();
    await db
      .updateTable('login_links')
      .set({ expires_at: longAgo })
      .where('token_hash', '=', link?.token_hash as Buffer)
      .execute();

    const stop = startMaintenance(db, config, { warn: () => undefined });
    await eventually(
      'the sweep',
      async () => (await db.selectFrom('login_links').select('token_hash').execute()).length === 1,
    );
    stop();
    const kept = await db.selectFrom('idempotency_keys').select('key').execute();
    expect(kept.map(({ key }) => key)).toEqual(['new']);
  } finally {
    await close();
  }
});

it('the maintenance deletes old reports, idle hosts, unused words and abandoned visitors, and keeps what is in use', async () => {
  const api = await startApi({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  const { org, other, db } = api;
  try {
    const old = new Date(Date.now() - 100 * 86_400_000);
    const now = new Date();
    const ages = [old, now];
    await db
      .insertInto('delivery_callbacks')
      .values(
        ages.map((received_at, n) => ({
          org_id: org.id,
          provider: 'sms',
          provider_id: `${n}`,
          status: 'sent',
          received_at,
        })),
      )
      .execute();
    await db
      .insertInto('sandbox_outbox')
      .values(
        ages.map((created_at) => ({
          org_id: org.id,
          id: newId(),
          channel: 'sms',
          to: '+1',
          payload: '{}',
          created_at,
        })),
      )
      .execute();
    await db
      .insertInto('crawl_hosts')
      .values(ages.map((next_at, n) => ({ host: `h${n}`, next_at })))
      .execute();
    await db
      .insertInto('crawl_robots')
      .values(ages.map((fetched_at, n) => ({ origin: `http://h${n}`, content: '', fetched_at })))
      .execute();
    await org.post('/training', { title: 'Parcels', content: 'They come by zeppelin' });
    await db
      .insertInto('knowledge_words')
      .values([org, other].map(({ id }) => ({ org_id: id, word: 'airship' })))
      .execute();
    const { body: site } = await org.post('/crawl', { url: 'http://127.0.0.1:1/', auto_start_crawl: false });
    const jobs = [newId(), newId(), newId()];
    await db
      .insertInto('crawl_jobs')
      .values(
        jobs.map((id, n) => ({
          org_id: org.id,
          id,
          datasource_id: site.id,
          kind: 'full' as const,
          status: 'completed' as const,
          started_at: old,
          completed_at: n === 2 ? now : old,
          created_at: new Date(old.getTime() + n * 1_000),
          error_message: null,
        })),
      )
      .execute();
    await db
      .insertInto('crawl_changes')
      .values({
        org_id: org.id,
        id: newId(),
        job_id: jobs[0] as string,
        page_id: newId(),
        kind: 'new',
        url: 'http://x/',
        title: null,
        diff: null,
      })
      .execute();
    const visitors = await Promise.all(
      ['gone', 'wrote', 'new', 'known', 'absorbed', 'merged'].map(async (name) => {
        const visitor = await unverified(api, org, { non_verified_name: name });
        const { id: contactId } = await db
          .selectFrom('contacts')
          .select('id')
          .where('name', '=', name)
          .executeTakeFirstOrThrow();
        if (name === 'wrote') await visitor.post('create-session', {});
        if (name === 'known') await org.patch(`/contacts/${contactId}`, { contact: { email: 'known@example.com' } });
        return { name, contactId };
      }),
    );
    const [absorbed, merged] = visitors.slice(4).map(({ contactId }) => contactId);
    expect((await org.post(`/contacts/${merged}/merge`, { from_id: absorbed })).status).toBe(200);
    await db
      .updateTable('widget_visitors')
      .set({ created_at: old })
      .where((eb) => eb(eb.fn.coalesce('contact_id', 'merged_contact_id'), '<>', visitors[2]?.contactId as string))
      .execute();

    const stop = startMaintenance(db, api.config, { warn: (problem: unknown) => expect(problem).toBeUndefined() });
    const remaining = async () =>
      (await db.selectFrom('widget_visitors').select('contact_id').execute()).map(({ contact_id }) => contact_id);
    await eventually('the sweep', async () => (await remaining()).length === 5);
    stop();
    expect(await remaining()).not.toContain(visitors[0]?.contactId);
    expect((await org.get(`/contacts/${visitors[0]?.contactId}`)).status).toBe(404);
    expect((await org.get(`/contacts/${merged}`)).status).toBe(200);
    const counts = await Promise.all(
      (['delivery_callbacks', 'sandbox_outbox', 'crawl_hosts', 'crawl_robots', 'crawl_changes'] as const).map(
        async (table) => (await sql`select 1 from ${sql.table(table)}`.execute(db)).rows.length,
      ),
    );
    expect(counts).toEqual([1, 1, 1, 1, 0]);
    expect((await db.selectFrom('crawl_jobs').select('id').execute()).map(({ id }) => id)).toEqual([jobs[2]]);
    const words = await db
      .selectFrom('knowledge_words')
      .selectAll()
      .where('word', 'in', ['zeppelin', 'airship'])
      .execute();
    expect(words).toEqual([{ org_id: org.id, word: 'zeppelin' }]);
  } finally {
    await api.close();
  }
});
