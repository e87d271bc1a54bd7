import { sql } from 'kysely';
import { repair } from '../../../src/repair/repair.ts';
import { computeForecast } from '../../../src/sequences/forecast/jobs.service.ts';
import { emailStep, inDomain } from '../../support/sequences.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

/** Creates contacts of a domain in one statement. */
const seed = (domain: string, count: number) =>
  sql`
    insert into contacts (org_id, id, email)
    select ${stack.org.id}::uuid, gen_random_uuid(), 'c' || n || '@' || ${domain} from generate_series(1, ${count}) as n
  `.execute(stack.db);

async function newSequence(domain: string, gates: object = {}, name = 'News'): Promise<string> {
  const { status, body } = await stack.org.post('/sequences', {
    name,
    is_continuous: false,
    filter: inDomain(domain),
    gates,
    steps: [emailStep('One'), emailStep('Two', 60)],
  });
  expect(status).toBe(201);
  return `/sequences/${body.id}`;
}
const jobsOf = () => stack.db.selectFrom('sequence_forecasts').selectAll().where('org_id', '=', stack.org.id).execute();

describe('the forecast of a sequence with many contacts', () => {
  it('is computed by a workflow, and answered at once if that takes no longer than 2 s', async () => {
    await seed('many.example', 1_500);
    const path = await newSequence('many.example', {}, `${'x'.repeat(149)}\u{1f600}, cut in the workflow's summary`);
    const { status, body } = await stack.org.post(`${path}/forecast`);
    expect([status, body.steps]).toMatchObject([200, [{ recipients: 1_500 }, { recipients: 1_500 }]]);
    expect(Date.parse(body.steps[1].at) - Date.parse(body.steps[0].at)).toBe(3_600_000);
    expect(body.audience.matching).toBe(1_500);
    expect(await jobsOf()).toMatchObject([{ state: 'done', contacts_done: 1_500 }]);
  });

  it('is a job where it takes longer: one for all requests, with its progress, while the api answers others', async () => {
    await seed('most.example', 30_000);
    const path = await newSequence('most.example', { sends_per_minute: 1_000, daily_cap: 1 });
    const asked = Date.now();
    const [first, second] = await Promise.all([stack.org.post(`${path}/forecast`), stack.org.post(`${path}/forecast`)]);
    expect([first.status, second.status, second.body.id]).toEqual([202, 202, first.body.id]);
    expect(Date.now() - asked).toBeGreaterThan(1_900);
    expect(first.body).toMatchObject({ state: 'in_progress', steps: null, progress: { contacts: 30_000 } });
    const jobPath = `${path}/forecasts/${first.body.id}`;
    expect((await stack.other.get(jobPath)).status).toBe(404);
    const done = await eventually('the forecast', async () => {
      const { body } = await stack.org.get(jobPath);
      return body.state === 'done' && body;
    });
    expect(done).toMatchObject({
      progress: { contacts_done: 30_000, contacts: 30_000 },
      steps: [{ recipients: 30_000 }, { recipients: 30_000 }],
      audience: { matching: 10_000, is_at_least: true },
    });
    const slots = Math.floor(30_000 / Math.floor(1_000 / 12)); // 1,000 a minute are 83 in each 5 s
    expect(Date.parse(done.steps[0].last_at) - Date.parse(done.steps[0].at)).toBe(slots * 5_000);
  });

  it('fails with a reason after its last attempt, and can be asked for again', async () => {
    await seed('often.example', 1_100);
    const path = await newSequence('often.example');
    const { body } = await stack.org.get(path);
    const forecastId = crypto.randomUUID();
    const job = { org_id: stack.org.id, id: forecastId, sequence_id: body.id, contacts: 1_100 };
    await stack.db.insertInto('sequence_forecasts').values(job).execute();
    const ref = { orgId: stack.org.id, forecastId };
    const circumstances = {
      defaults: { hasMailServer: true, isDevelopment: true },
      signal: new AbortController().signal,
      onProgress: () => undefined,
    };
    expect(await computeForecast(stack.db, ref, { ...circumstances, attempt: 9 })).toEqual({
      contacts: 0,
      state: 'failed',
    });
    expect((await stack.org.get(`${path}/forecasts/${forecastId}`)).body).toMatchObject({
      state: 'failed',
      error: 'It was given up after 8 attempts: ask for a new forecast',
    });
    expect((await stack.org.post(`${path}/forecast`)).status).toBe(200);
  });

  it('fails with a reason if its workflow is stopped in Temporal, and can be asked for again', async () => {
    await seed('gone.example', 1_100);
    const path = await newSequence('gone.example');
    const { body } = await stack.org.get(path);
    const id = crypto.randomUUID();
    await stack.db
      .insertInto('sequence_forecasts')
      .values({ org_id: stack.org.id, id, sequence_id: body.id, contacts: 1_100 })
      .execute();
    expect(await repair(stack.db, stack.temporal, { isDryRun: true })).toMatchObject([{ kind: 'forecast', id }]);
    await repair(stack.db, stack.temporal, { isDryRun: false });
    const job = (await stack.org.get(`${path}/forecasts/${id}`)).body;
    expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining('ask for a new forecast') });
    expect((await stack.org.post(`${path}/forecast`)).status).toBe(200);
  });
});
