import Fastify from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import pg from 'pg';
import { loadConfig } from '../../../src/config.ts';
import { InboxPage } from '../../../src/conversations/inbox/schema.ts';
import { serve } from '../processes.ts';

// The minimal route for comparison: the page by one index, without filters, in rows of the same schema and size.
const PAGE = `
  select id, ticket_number, status, channel, contact_id, assignee_id, waiting_on, waiting_since, last_message_at, sentiment,
    language, updated_at
  from sessions where org_id = $1 and status = 'open'
  order by coalesce(last_message_at, created_at) desc, id desc limit 51`;
const TEXT = 'x'.repeat(160);
const config = loadConfig();
const orgId = process.env.BENCH_ORG_ID;
const pool = new pg.Pool({ connectionString: config.DATABASE_URL, max: config.DATABASE_POOL_SIZE });
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const app = Fastify().withTypeProvider<ZodTypeProvider>();
app.setSerializerCompiler(serializerCompiler);
app.get('/inbox', {
  schema: { response: { 200: InboxPage } },
  handler: async () => {
    const { rows } = await pool.query({ name: 'page', text: PAGE, values: [orgId] });
    const items = rows.slice(0, 50).map(({ contact_id, assignee_id, last_message_at, ...row }) => ({
      ...row,
      custom_status: null,
      contact: { id: contact_id, name: 'Name Name', email: 'person@example.com' },
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
