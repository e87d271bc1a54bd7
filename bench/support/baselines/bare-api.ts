import Fastify from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import pg from 'pg';
import { loadConfig } from '../../../src/config.ts';
import { SaveContact, SavedContact } from '../../../src/contacts/schema.ts';
import { newId } from '../../../src/ids.ts';
import { serve } from '../processes.ts';

// The minimal route for comparison: the same schemas, and one prepared insert into a table with the same columns, keys
// and indexes.
const INSERT = `
  insert into bare_contacts (org_id, id, email, phone_number, name, custom_data, http_action_overrides)
  values ($1, $2, $3, $4, $5, $6, $7)`;
const config = loadConfig();
const orgId = process.env.BENCH_ORG_ID;
const pool = new pg.Pool({ connectionString: config.DATABASE_URL, max: config.DATABASE_POOL_SIZE });

const app = Fastify().withTypeProvider<ZodTypeProvider>();
app.setValidatorCompiler(validatorCompiler);
app.setSerializerCompiler(serializerCompiler);
app.post('/contacts', {
  schema: { body: SaveContact, response: { 201: SavedContact } },
  handler: async ({ body: { contact } }, reply) => {
    const id = newId();
    const { email, phone, name, custom_data = {}, http_action_overrides } = contact;
    const values = [orgId, id, email, phone, name, JSON.stringify(custom_data), http_action_overrides];
    await pool.query({ name: 'insert', text: INSERT, values });
    reply.code(201);
    return { id };
  },
});
const address = await app.listen({ host: '127.0.0.1', port: 0 });

serve({ url: async () => address });
