import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { lines, TICKET } from '../imports/support/zendesk.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { IMPORTED_CONTACTS, IMPORTED_CONVERSATIONS, KILLS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

let stack: FaultStack;
const folder = mkdtempSync(join(tmpdir(), 'switchboard-import-faults-'));
beforeAll(async () => {
  stack = await startFaultStack({ env: { STORAGE_URL: pathToFileURL(folder).href } });
}, TEST_LIMIT_MS);
afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true });
});

const ticket = (n: number) => {
  const requester = {
    ...TICKET.requester,
    id: n % 500,
    email: `person${n % 500}@example.com`,
    phone: null,
    external_id: null,
  };
  const comments = TICKET.comments.map((comment) => ({
    ...comment,
    id: `${n}-${comment.id}`,
    author_id: comment.author_id === TICKET.requester.id ? requester.id : comment.author_id,
    attachments: [],
  }));
  return { ...TICKET, id: n, requester, submitter: requester, comments };
};

it(
  'each conversation is imported once, with its messages once, when the worker and the api are killed in the middle',
  async () => {
    const org = await stack.newOrg();
    const file = lines(...Array.from({ length: IMPORTED_CONVERSATIONS }, (_, n) => ticket(n + 1)));
    const started = await fetch(`${stack.url}/imports?source=zendesk&resource=conversations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${org.key}`, 'content-type': 'application/x-ndjson' },
      body: file,
    });
    expect(started.status).toBe(202);
    const { id } = (await started.json()) as { id: string };
    const job = async () => (await org.call('GET', `/imports/${id}`)).body;
    let kills = 0;
    for (let seen = 0; ; ) {
      await until('progress', async () => {
        const { records, status } = await job();
        return status !== 'running' || records > seen;
      });
      const { records, status } = await job();
      if (status !== 'running' || kills >= KILLS * 2) break;
      seen = records;
      await sleep(Math.random() * 200);
      const program = kills % 2 === 0 ? stack.worker : stack.api;
      await program.kill();
      await program.start();
      kills++;
    }
    expect(kills).toBeGreaterThan(0);
    await until('the end of the import', async () => (await job()).status === 'completed', TEST_LIMIT_MS / 2);
    expect(await job()).toMatchObject({
      records: IMPORTED_CONVERSATIONS,
      created: IMPORTED_CONVERSATIONS,
      unchanged: 0,
      left_out: 0,
    });
    const counted = await sql`
      select count(distinct custom_data ->> 'zendesk_ticket_id')::integer as tickets, count(*)::integer as sessions,
        max(ticket_number)::integer as last_number, sum(last_seq)::integer as events,
        (select count(*)::integer from session_events where org_id = ${org.id} and seq > 0) as stored,
        (select count(*)::integer from contacts where org_id = ${org.id}) as contacts
      from sessions where org_id = ${org.id}
    `.execute(stack.db);
    expect(counted.rows).toEqual([
      {
        tickets: IMPORTED_CONVERSATIONS,
        sessions: IMPORTED_CONVERSATIONS,
        last_number: IMPORTED_CONVERSATIONS,
        events: IMPORTED_CONVERSATIONS * 5,
        stored: IMPORTED_CONVERSATIONS * 5,
        contacts: Math.min(500, IMPORTED_CONVERSATIONS),
      },
    ]);
  },
  TEST_LIMIT_MS,
);

it(
  'each line of a CSV file becomes one contact, once, when the worker is killed in the middle',
  async () => {
    const org = await stack.newOrg();
    const contacts = Array.from({ length: IMPORTED_CONTACTS }, (_, n) => `crm-${n},crm-${n}@example.com,Person ${n}\n`);
    const started = await fetch(`${stack.url}/contacts/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${org.key}`, 'content-type': 'text/csv' },
      body: `external_id,email,name\n${contacts.join('')}`,
    });
    expect(started.status).toBe(202);
    const { id } = (await started.json()) as { id: string };
    const job = async () => (await org.call('GET', `/contacts/imports/${id}`)).body;
    let interrupted = 0;
    for (let kill = 1; kill <= KILLS; kill++) {
      const share = Math.floor((IMPORTED_CONTACTS * kill) / (KILLS + 2));
      await until(`${share} lines`, async () => (await job()).rows >= share);
      await stack.worker.kill();
      if ((await job()).status === 'running') interrupted++;
      await stack.worker.start();
    }
    expect(interrupted).toBe(KILLS);
    await until('the end of the import', async () => (await job()).status === 'completed', TEST_LIMIT_MS / 2);
    const all = IMPORTED_CONTACTS;
    expect(await job()).toMatchObject({ rows: all, created: all, updated: 0, skipped: 0, refused: 0 });
    const counted = await sql`
      select count(*)::integer as contacts, count(distinct external_id)::integer as ids,
        count(*) filter (where email = external_id || '@example.com')::integer as whole
      from contacts where org_id = ${org.id}
    `.execute(stack.db);
    expect(counted.rows).toEqual([{ contacts: all, ids: all, whole: all }]);
  },
  TEST_LIMIT_MS,
);
