import { expect, it } from 'vitest';
import { startCleanup } from '../../worker/cleanup.ts';
import { startApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

it('the cleanup deletes stored answers after a day and expired login links, and nothing earlier', async () => {
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

    const stop = startCleanup(db, config, { warn: () => undefined });
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
