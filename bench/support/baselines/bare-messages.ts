import Fastify from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import pg from 'pg';
import { loadConfig } from '../../../src/config.ts';
import { SendMessage, SentMessage } from '../../../src/conversations/messages/schema.ts';
import { SessionPath } from '../../../src/conversations/sessions/schema.ts';
import { newId } from '../../../src/ids.ts';
import { serve } from '../processes.ts';

// The minimal route for comparison: the same schemas, and the same rows written to the same tables in one transaction.
const UPDATE = `
  update sessions set last_seq = last_seq + 1, updated_at = now(), last_message_at = now(), waiting_on = 'human_agents'
  where org_id = $1 and id = $2 returning last_seq, language, contact_id`;
const INSERT = `
  insert into session_events (org_id, session_id, seq, id, type, sender, content, language)
  values ($1, $2, $3, $4, 'message', 'contact', $5, $6)`;
const ANNOUNCE = `
  insert into outbox (org_id, kind, type, subject_id, payload) values ($1, 'event', 'contact-replied', $2, '{"channel": "web"}')`;
const config = loadConfig();
const orgId = process.env.BENCH_ORG_ID;
const pool = new pg.Pool({ connectionString: config.DATABASE_URL, max: config.DATABASE_POOL_SIZE });

const app = Fastify().withTypeProvider<ZodTypeProvider>();
app.setValidatorCompiler(validatorCompiler);
app.setSerializerCompiler(serializerCompiler);
app.post('/chat/sessions/:id/send', {
  schema: { params: SessionPath, body: SendMessage, response: { 201: SentMessage } },
  handler: async ({ params, body }, reply) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query({ name: 'update', text: UPDATE, values: [orgId, params.id] });
      const [{ last_seq, language, contact_id }] = rows;
      const values = [orgId, params.id, last_seq, newId(), body.message.text, language];
      await client.query({ name: 'insert', text: INSERT, values });
      await client.query({ name: 'announce', text: ANNOUNCE, values: [orgId, contact_id] });
      await client.query('commit');
    } finally {
      client.release();
    }
    reply.code(201);
    return { success: true, data: { success: true, sessionIsHandedOff: false } };
  },
});
const address = await app.listen({ host: '127.0.0.1', port: 0 });

serve({ url: async () => address });
