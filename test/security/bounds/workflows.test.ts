import { sql } from 'kysely';
import { startRuns } from '../../../src/automations/runs/start-runs.service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { startMaintenance } from '../../../worker/maintenance.ts';
import { type Answer, startApi, type TestApi, type TestOrg } from '../../support/stack/api.ts';
import { eventually } from '../../support/stack/stack.ts';
import { activate } from '../../support/triggers.ts';

const NOTE = { $kind: 'Action', type: 'add-note', name: 'Note', input: { session_id: newId(), text: 'Hello' } };
const LISTENING = [
  {
    $kind: 'Block',
    type: 'wait-for-event',
    id: 'heard',
    inputs: { trigger_type: 'ticket-tag-added', constraint: null, timeout_minutes: 60 },
  },
];
/** A workflow with about so many characters. */
const large = (characters: number) => ({
  trigger_type: 'manual-trigger',
  name: 'Large',
  workflow_blocks: [
    {
      $kind: 'Action',
      type: 'send-webhook',
      id: 'call',
      name: 'Call',
      input: { url: 'https://example.com/hook', body: { text: 'x'.repeat(characters) } },
    },
  ],
});

let api: TestApi;
let org: TestOrg;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await api.createOrg();
});

/** Returns the bodies of all pages of a list, by their cursors. The path ends where a parameter may follow. */
async function pagesOf(path: string): Promise<Answer['body'][]> {
  const pages: Answer['body'][] = [];
  let cursor = '';
  do {
    const { status, body } = await org.get(`${path}${cursor}`);
    expect(status).toBe(200);
    pages.push(body);
    cursor = body.next === null ? '' : `&cursor=${body.next}`;
  } while (cursor !== '');
  return pages;
}

describe('active workflows', () => {
  it('are at most 100 with one trigger', async () => {
    const definition = { name: 'Small', trigger_type: 'ticket-tag-added', workflow_blocks: [{ ...NOTE, id: 'note' }] };
    for (let n = 0; n < 100; n++) await activate(org, definition);
    const { body } = await org.post('/workflows', definition);
    const refused = await org.post(`/workflows/${body.workflow_id}/activate`, {});
    expect(refused.status).toBe(409);
    expect(refused.body.message).toMatch(/100/);
    await activate(org, { ...definition, trigger_type: 'manual-trigger' });
    await activate(api.other, definition);
  });

  it('have at most 5,000,000 characters together with one trigger', async () => {
    for (let n = 0; n < 10; n++) await activate(org, large(490_000));
    const { body } = await org.post('/workflows', large(490_000));
    const refused = await org.post(`/workflows/${body.workflow_id}/activate`, {});
    expect(refused.status).toBe(409);
    expect(refused.body.message).toMatch(/characters/);
    const again = await org.post(`/workflows/${body.workflow_id}/activate`, {});
    expect(again.status).toBe(409);
  });
});

describe('pages of workflows', () => {
  it('have fewer workflows if these are large, and lead on to the others', async () => {
    for (let n = 0; n < 9; n++) await org.post('/workflows', large(450_000));
    const pages = await pagesOf('/workflows?limit=50');
    const seen = pages.flatMap(({ items }) => items.map(({ workflow_id }: { workflow_id: string }) => workflow_id));
    expect(new Set(seen).size).toBe(9);
    expect(seen).toHaveLength(9);
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(2_100_000);
  });

  it('list the versions of one in the same way', async () => {
    const { body } = await org.post('/workflows', large(450_000));
    for (let n = 0; n < 8; n++) await org.patch(`/workflows/${body.workflow_id}`, { name: `Version ${n}` });
    const pages = await pagesOf(`/workflows/${body.workflow_id}/versions?limit=50`);
    for (const { items } of pages) expect(items.length).toBeLessThan(6);
    const numbers = pages.flatMap(({ items }) => items.map((item: { version_number: number }) => item.version_number));
    expect(numbers).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });
});

describe('a page of a run', () => {
  it('has about 2,000,000 characters of its steps, and leads on to the others', async () => {
    const { id } = await activate(org, large(100));
    const runId = (await org.post(`/workflows/${id}/trigger`, {})).body.run_id;
    await sql`
      insert into automation_steps (org_id, run_id, path, step_id, type, status, input, output)
      select ${org.id}::uuid, ${runId}::uuid, '1.do.' || n, 'step', 'add-note', 'completed', '{}',
        to_jsonb(repeat('x', 500000)) from generate_series(1, 11) as n
    `.execute(api.db);
    const pages = await pagesOf(`/workflows/${id}/runs/${runId}?`);
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(2_600_000);
    const paths = pages.flatMap(({ steps }) => steps.map(({ path }: { path: string }) => path));
    expect(paths.filter((path) => path.startsWith('1.do.'))).toHaveLength(11);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it('refuses a cursor that is not its own', async () => {
    const { id } = await activate(org, large(100));
    const runId = (await org.post(`/workflows/${id}/trigger`, {})).body.run_id;
    for (const cursor of ['x', 'a'.repeat(2_000), Buffer.from('zzzzzzzzzz 1').toString('base64url')])
      expect((await org.get(`/workflows/${id}/runs/${runId}?cursor=${cursor}`)).status).toBe(400);
  });
});

it('a simulation ends before its inputs and outputs are an answer of hundreds of megabytes', async () => {
  const { status, body } = await org.post('/workflows/simulate', {
    trigger_type: 'manual-trigger',
    trigger_output: { text: 'x'.repeat(400_000), items: Array.from({ length: 1_000 }, (_, n) => n) },
    workflow_blocks: [
      {
        $kind: 'Block',
        type: 'for-each',
        id: 'each',
        inputs: { items: '{{trigger.items}}' },
        branches: { do: [{ ...NOTE, id: 'note', input: { session_id: newId(), text: '{{trigger.text}}' } }] },
      },
    ],
  });
  expect(status).toBe(200);
  expect(body.status).toBe('failed');
  expect(body.error).toContain('characters');
  expect(JSON.stringify(body).length).toBeLessThan(3_000_000);
});

it('a switch compares a long list with many cases in little time', async () => {
  const cases = Array.from({ length: 100 }, () => ({ equals: [], steps: [] }));
  const step = (id: string) => ({
    $kind: 'Block',
    type: 'switch',
    id,
    inputs: { value: '{{trigger.output.list}}' },
    branches: { cases },
  });
  const begun = performance.now();
  const { status, body } = await org.post('/workflows/simulate', {
    trigger_type: 'manual-trigger',
    trigger_output: { list: Array(9_000).fill({}) },
    workflow_blocks: Array.from({ length: 20 }, (_, n) => step(`switch-${n}`)),
  });
  expect([status, body.status]).toEqual([200, 'completed']);
  expect(performance.now() - begun).toBeLessThan(4_000);
});

it('an event is stored once, however many runs wait for it', async () => {
  const { id } = await activate(org, { trigger_type: 'manual-trigger', workflow_blocks: LISTENING });
  for (let n = 0; n < 30; n++) await org.post(`/workflows/${id}/trigger`, {});
  await inTransaction(api.db, (trx) =>
    startRuns(trx, org.id, 'ticket-tag-added', {
      triggerEvents: [{ key: newId(), occurredAt: new Date(), depth: 0, output: { tag: 'x'.repeat(60_000) } }],
      cause: 'automatic',
    }),
  );
  const { rows } = await sql<{ events: number; runs: number }>`
    select (select count(*) from automation_events where org_id = ${org.id}) as events,
      (select count(*) from automation_received_events where org_id = ${org.id}) as runs
  `.execute(api.db);
  expect(rows).toEqual([{ events: 1, runs: 30 }]);
});

describe('runs', () => {
  const copyRuns = (runId: string, { count, changes }: { count: number; changes: string }) =>
    sql`
      insert into automation_runs (org_id, id, automation_id, version_id, trigger_cause, trigger_key, trigger_output, status, created_at, run_ended_at)
      select org_id, gen_random_uuid(), automation_id, version_id, trigger_cause, trigger_key || gen_random_uuid(), trigger_output, ${sql.raw(changes)}
      from automation_runs cross join generate_series(1, ${count}) as n where id = ${runId}
    `.execute(api.db);

  it('beyond the 10,000 of an org that wait for events fail with the reason', async () => {
    const { id } = await activate(org, { trigger_type: 'manual-trigger', workflow_blocks: LISTENING });
    const start = async () => (await org.post(`/workflows/${id}/trigger`, {})).body.run_id;
    const first = await start();
    await copyRuns(first, { count: 9_999, changes: "'in_progress', now(), null" });
    await sql`
      insert into automation_listeners (org_id, run_id, trigger_type)
      select org_id, id, 'ticket-tag-added' from automation_runs where org_id = ${org.id} on conflict do nothing
    `.execute(api.db);
    const refused = (await org.get(`/workflows/${id}/runs/${await start()}`)).body;
    expect([refused.status, refused.error]).toEqual(['failed', expect.stringContaining('10000 runs')]);
    const plain = await activate(org, { trigger_type: 'manual-trigger', workflow_blocks: [] });
    const fine = (await org.post(`/workflows/${plain.id}/trigger`, {})).body.run_id;
    expect((await org.get(`/workflows/${plain.id}/runs/${fine}`)).body.status).not.toBe('failed');
  });

  it('are deleted 90 days after their end, and not before', async () => {
    const { id } = await activate(org, { trigger_type: 'manual-trigger', workflow_blocks: [] });
    const runId = (await org.post(`/workflows/${id}/trigger`, {})).body.run_id;
    for (const days of [89, 91])
      await copyRuns(runId, {
        count: 3,
        changes: `'completed', now() - interval '100 days', now() - interval '${days} days'`,
      });
    const countRuns = async () => (await org.get(`/workflows/${id}/runs`)).body.total_items;
    expect(await countRuns()).toBe(7);
    const stop = startMaintenance(api.db, api.config, { warn: () => undefined });
    await eventually('the sweep', async () => (await countRuns()) === 4);
    stop();
  });
});
