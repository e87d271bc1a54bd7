import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { createApp } from '../../../src/api/app.ts';
import { createApiDeps } from '../../../src/api/create-deps.ts';
import { loadConfig } from '../../../src/config.ts';
import { InboxPage } from '../../../src/conversations/inbox/schema.ts';
import { connect } from '../../../src/db/connect.ts';
import { createWriteQuota } from '../../../src/db/write-quota.ts';
import { createLogger } from '../../../src/logging/logger.ts';
import { connectTemporalHealth } from '../../../src/temporal/client.ts';
import { serve } from '../processes.ts';

// Our api with one more route: a page by one index without filters, in rows of the same schema and size.
const PAGE = `
  select id, ticket_number, status, channel, contact_id, assignee_id, waiting_on, waiting_since, last_message_at, sentiment,
    language, updated_at
  from sessions where org_id = $1 and status = 'open'
  order by coalesce(last_message_at, created_at) desc, id desc limit 51`;
const TEXT = 'How do I get a refund for my order? I have been waiting for it since the third of last month. '
  .repeat(2)
  .slice(0, 160);

const config = loadConfig();
const logger = createLogger({ name: 'api', level: config.LOG_LEVEL });
const quota = createWriteQuota(config.WRITE_QUOTA_BYTES);
const { db, pool } = connect(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE, quota });
const { deps } = createApiDeps({ config, db, pool, quota, temporal: connectTemporalHealth(config), logger });
const app = (await createApp(deps, logger)).withTypeProvider<ZodTypeProvider>();
app.get('/bare-inbox', {
  config: { scope: 'chat-sessions:read' },
  schema: { response: { 200: InboxPage } },
  handler: async ({ org }) => {
    const { rows } = await pool.query(PAGE, [org.id]);
    const items = rows.slice(0, 50).map(({ contact_id, assignee_id, last_message_at, ...row }) => ({
      ...row,
      custom_status: null,
      contact: { id: contact_id, name: 'Name Name', email: 'person@example.com', phone_number: null },
      answered_by: 'people' as const,
      assignee: assignee_id === null ? null : { id: assignee_id, name: 'Agent' },
      team: null,
      tags: ['common', 'half'],
      snoozed_at: null,
      snoozed_until: null,
      last_message: { at: last_message_at ?? row.updated_at, sender: 'contact' as const, text: TEXT },
      unread: null,
      sla: null,
      confirmations: 0,
      handoff_state: null,
    }));
    return { items, next: rows.at(-1)?.id ?? null, as_of: new Date() };
  },
});
const address = await app.listen({ host: '127.0.0.1', port: 0 });

serve({ url: async () => address });
