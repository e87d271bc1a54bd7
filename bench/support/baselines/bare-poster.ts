import { createHmac } from 'node:crypto';
import pg from 'pg';
import { Agent, request } from 'undici';
import { loadConfig } from '../../../src/config.ts';
import { serve } from '../processes.ts';

// The loop for comparison: it reads rows, signs and posts each, and marks it. It knows no endpoints, retries or limits.
const IN_FLIGHT = 50;
const CHANNEL = 'bare_posts';

const config = loadConfig();
const pool = new pg.Pool({ connectionString: config.DATABASE_URL, max: 4 });
const agent = new Agent();
const key = Buffer.alloc(32, 1);

async function post(url: string, { id, body }: { id: string; body: string }): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body });
  await answer.body.dump();
  await pool.query({ name: 'mark', text: 'update bare_posts set posted_at = now() where id = $1', values: [id] });
}

/** Posts what waits, with the next rows read while the last ones are under way. Returns when nothing is left. */
async function drain(url: string): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows } = await pool.query({
      name: 'read',
      text: 'select id, body from bare_posts where posted_at is null and id > $1 order by id limit 200',
      values: [after],
    });
    if (rows.length === 0) break;
    after = rows.at(-1).id;
    for (const row of rows) {
      if (inFlight.size >= IN_FLIGHT) await Promise.race(inFlight);
      const sent = post(url, row).finally(() => inFlight.delete(sent));
      inFlight.add(sent);
    }
  }
  await Promise.all(inFlight);
}

let draining: Promise<void> = Promise.resolve();

serve({
  /** Posts whatever is inserted and notified from now on. */
  start: async ({ url }: { url: string }) => {
    const client = new pg.Client({ connectionString: config.DATABASE_URL });
    client.on('notification', () => {
      draining = draining.then(() => drain(url));
    });
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    return true;
  },
});
