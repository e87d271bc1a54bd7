import Fastify from 'fastify';
import pg from 'pg';
import { loadConfig } from '../../../src/config.ts';
import { newId } from '../../../src/ids.ts';
import type { BenchEvent } from '../crm-batches.ts';
import { serve } from '../processes.ts';

// The minimal route for comparison: one prepared insert of all events into a table with the same columns, keys and
// indexes.
const INSERT = `
  insert into bare_crm_events (org_id, dedupe_key, batch_id, queue, type, object_id, occurred_at, payload)
  select $1::uuid, key, $2::uuid, queue, type, object_id, occurred_at, payload
  from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::jsonb[])
    as event (key, queue, type, object_id, occurred_at, payload)`;
const config = loadConfig();
const orgId = process.env.BENCH_ORG_ID;
const pool = new pg.Pool({ connectionString: config.DATABASE_URL, max: config.DATABASE_POOL_SIZE });

const app = Fastify();
app.post<{ Body: BenchEvent[] }>('/crm', async ({ body: events }) => {
  const values = [
    orgId,
    newId(),
    events.map(({ messageId }) => `message/${messageId}`),
    events.map(({ objectId }) => `thread/${objectId}`),
    events.map(({ subscriptionType }) => subscriptionType),
    events.map(({ objectId }) => String(objectId)),
    events.map(({ occurredAt }) => new Date(occurredAt).toISOString()),
    events.map(({ messageId, messageType }) => `{"message_id":"${messageId}","message_type":"${messageType}"}`),
  ];
  await pool.query({ name: 'insert', text: INSERT, values });
  return {};
});
const address = await app.listen({ host: '127.0.0.1', port: 0 });

serve({ url: async () => address });
