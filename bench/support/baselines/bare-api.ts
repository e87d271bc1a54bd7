import Fastify from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import pg from 'pg';
import { loadConfig } from '../../../src/config.ts';
import { ContactFields, SaveContact, SaveContacts, SavedContact, SavedContacts } from '../../../src/contacts/schema.ts';
import { newId } from '../../../src/ids.ts';
import { serve } from '../processes.ts';

// The minimal routes for comparison: the same schemas, and one prepared insert into a table with the same columns, keys
// and indexes.
const INSERT = `
  insert into bare_contacts (org_id, id, email, phone_number, name, custom_data, http_action_overrides)
  values ($1, $2, $3, $4, $5, $6, $7)`;
const INSERT_BATCH = `
  insert into bare_contacts (org_id, id, email, phone_number, name, custom_data, http_action_overrides)
  select $1, id, email, phone, name, coalesce(custom_data, '{}'), http_action_overrides
  from jsonb_to_recordset($2) as new (id uuid, email text, phone text, name text, custom_data jsonb, http_action_overrides jsonb)`;
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
app.post('/contacts/batch', {
  schema: { body: SaveContacts, response: { 200: SavedContacts } },
  handler: async ({ body: { contacts } }) => {
    const created = contacts.map((contact) => ({ ...ContactFields.strict().parse(contact), id: newId() }));
    await pool.query({ name: 'insert-batch', text: INSERT_BATCH, values: [orgId, JSON.stringify(created)] });
    return { results: created.map(({ id }) => ({ id, created: true })) };
  },
});
const address = await app.listen({ host: '127.0.0.1', port: 0 });

serve({ url: async () => address });
