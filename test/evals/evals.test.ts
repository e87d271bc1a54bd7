import { startNightlyRuns } from '../../src/evals/runs.service.ts';
import { ARTICLES, newAnsweringOrg, QUESTION } from '../ai/answering-org.ts';
import { FAKES_ALLOWED } from '../support/channels.ts';
import { type FakeModel, quoting, startFakeModel } from '../support/fakes/model.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

let stack: Stack;
let model: FakeModel;
beforeAll(async () => {
  model = await startFakeModel();
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(async () => {
  await stack.close();
  await model.close();
});
beforeEach(() => {
  model.asked.length = 0;
  model.say((asked) => quoting(asked, 'five working days', 'You get it within five working days.'));
});

const REFUNDS = {
  name: 'Refunds',
  messages: [{ sender: 'contact', text: QUESTION }],
  checks: { ends: 'answered', reason: null, contains: ['Five  working days'] },
};
const PERSON = {
  name: 'A person',
  messages: [{ sender: 'contact', text: 'I want to talk to a human' }],
  checks: { ends: 'handed_off', reason: 'user_request', not_contains: ['refund'] },
};

async function newOrg({ cases = [REFUNDS, PERSON] as object[], withModel = false } = {}): Promise<TestOrg> {
  const org = await newAnsweringOrg(stack);
  if (withModel) await org.put('/integrations/llm', { provider: 'openai-compatible', settings: model.settings });
  for (const one of cases) expect(await org.post('/autopilot/evals', one)).toMatchObject({ status: 201 });
  return org;
}

const endOf = (org: TestOrg, id: string) =>
  eventually('the end of the run', async () => {
    const { body } = await org.get(`/autopilot/evals/runs/${id}`);
    return body.state === 'running' ? undefined : body;
  });

async function run(org: TestOrg, settings = 'draft') {
  const { status, body } = await org.post('/autopilot/evals/runs', { settings });
  expect(status).toBe(201);
  return endOf(org, body.id);
}

describe('an eval run', () => {
  it('runs all cases over the draft, and shows what was expected and what came', async () => {
    const wrong = { ...REFUNDS, name: 'Wrong', checks: { ends: 'asked', contains: ['ten days'] } };
    const org = await newOrg({ cases: [REFUNDS, PERSON, wrong] });
    const done = await run(org);
    expect(done).toMatchObject({
      state: 'done',
      settings: 'draft',
      config_version: null,
      started_by: 'api',
      cases: 3,
      passed: 2,
      failed: 1,
      drift: null,
      results: [
        { name: 'Refunds', state: 'passed' },
        { name: 'A person', state: 'passed' },
        {
          name: 'Wrong',
          state: 'failed',
          checks: [
            { check: 'ends', passed: false, expected: 'asked', got: 'answered' },
            { check: 'contains', passed: false, expected: 'ten days' },
          ],
        },
      ],
    });
    expect(done.pass_share).toBeCloseTo(2 / 3);
    const { body } = await org.get(`/autopilot/evals/runs/${done.id}/cases/${done.results[0].case_id}`);
    expect(body.turn).toMatchObject({ session_id: null, state: 'answered', citations: [{ title: 'Refunds' }] });
    const sessions = await stack.db.selectFrom('sessions').select('id').where('org_id', '=', org.id).execute();
    expect(sessions).toEqual([]);
  });

  it('asks the org’s model, within its budgets, and counts it as eval', async () => {
    const cases = [{ ...REFUNDS, checks: { ends: 'answered', max_cost: 1, max_ms: 100_000 } }];
    const org = await newOrg({ cases, withModel: true });
    await org.patch('/autopilot/settings', { prices: { helpful: { input: 2, output: 10 } } });
    const done = await run(org);
    expect(done).toMatchObject({ passed: 1 });
    expect(done.cost).toBeGreaterThan(0);
    expect((await org.get('/autopilot/usage?group_by=purpose')).body.items).toMatchObject([
      { group: 'eval', calls: 1 },
    ]);
    await org.patch('/autopilot/settings', { budgets: { day: { tokens: 100 } }, on_budget: 'handoff' });
    expect(await run(org)).toMatchObject({ failed: 1 });
    expect(model.asked).toHaveLength(1);
  });

  it('runs the published settings as well, and one run at a time', async () => {
    const org = await newOrg();
    await org.patch('/autopilot/settings', { phrases: { en: { handing_off: 'Please wait for a refund.' } } });
    const both = await Promise.all([1, 2].map(() => org.post('/autopilot/evals/runs', { settings: 'published' })));
    const statuses = both.map(({ status }) => status).sort();
    expect([
      [201, 201],
      [201, 409],
    ]).toContainEqual(statuses);
    const first = both.find(({ status }) => status === 201);
    expect(await endOf(org, first?.body.id)).toMatchObject({ passed: 2, config_version: 0, settings: 'published' });
    expect(await run(org)).toMatchObject({ passed: 1, failed: 1 });
  });

  it('refuses to run no case, and answers 404 for what another org has', async () => {
    const org = await newOrg();
    const done = await run(org);
    const [{ case_id }] = done.results;
    expect((await stack.other.post('/autopilot/evals/runs', {})).status).toBe(409);
    for (const path of [`/${case_id}`, `/runs/${done.id}`, `/runs/${done.id}/cases/${case_id}`])
      expect((await stack.other.get(`/autopilot/evals${path}`)).status).toBe(404);
    expect((await stack.other.patch(`/autopilot/evals/${case_id}`, { name: 'Mine' })).status).toBe(404);
    expect((await stack.other.delete(`/autopilot/evals/${case_id}`)).status).toBe(404);
    expect((await stack.other.post(`/autopilot/evals/runs/${done.id}/cancel`)).status).toBe(404);
    expect((await org.post(`/autopilot/evals/runs/${done.id}/cancel`)).status).toBe(409);
  });

  it('ends when it is canceled, and keeps the results so far', async () => {
    const cases = Array.from({ length: 6 }, (_, nth) => ({ ...REFUNDS, name: `Case ${nth}` }));
    const org = await newOrg({ cases, withModel: true });
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    model.say(async (asked) => {
      await held;
      return quoting(asked, 'five working days', 'You get it within five working days.');
    });
    const { body } = await org.post('/autopilot/evals/runs', {});
    await eventually('the first batch', async () => model.asked.length === 4);
    expect(await org.post(`/autopilot/evals/runs/${body.id}/cancel`)).toMatchObject({
      status: 200,
      body: { state: 'canceled' },
    });
    goOn();
    await eventually('the results of the first batch', async () => {
      const { body: shown } = await org.get(`/autopilot/evals/runs/${body.id}`);
      return shown.results.filter(({ state }: { state: string }) => state === 'passed').length === 4;
    });
    expect((await org.get(`/autopilot/evals/runs/${body.id}`)).body).toMatchObject({ state: 'canceled', passed: 4 });
    expect(model.asked).toHaveLength(4);
    expect(await run(org)).toMatchObject({ state: 'done', passed: 6 });
  });
});

describe('publishing with publish_requires', () => {
  it('is refused until a run of exactly this draft has passed', async () => {
    const org = await newOrg();
    await org.patch('/autopilot/settings', { publish_requires: { min_pass: 1 } });
    const untried = await org.post('/autopilot/settings/publish');
    expect([untried.status, untried.body.message]).toEqual([
      409,
      expect.stringContaining('POST /autopilot/evals/runs'),
    ]);
    expect(await run(org)).toMatchObject({ passed: 2 });
    expect(await org.post('/autopilot/settings/publish')).toMatchObject({
      status: 200,
      body: { published: { version: 1 } },
    });

    await org.patch('/autopilot/settings', { phrases: { en: { handing_off: 'Please wait for a refund.' } } });
    expect((await org.post('/autopilot/settings/publish')).status).toBe(409);
    await run(org);
    const failed = await org.post('/autopilot/settings/publish');
    expect([failed.status, failed.body.message]).toEqual([409, expect.stringContaining('1 of 2')]);
    await org.patch('/autopilot/settings', { publish_requires: null });
    expect((await org.post('/autopilot/settings/publish')).status).toBe(409);
    await org.patch('/autopilot/settings', { phrases: null, publish_requires: { min_pass: 0.5 } });
    await run(org);
    expect((await org.post('/autopilot/settings/publish')).status).toBe(200);
  });
});

describe('the nightly run', () => {
  it('runs what is published once a day, and says which cases newly fail', async () => {
    const org = await newOrg();
    await newAnsweringOrg(stack); // has no cases
    const off = await newAnsweringOrg(stack, { autopilot: false });
    await off.post('/autopilot/evals', REFUNDS);
    await run(org, 'published');
    const articles = ARTICLES.filter(({ title }) => title !== 'Refunds');
    await org.put('/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles }] });
    while ((await startNightlyRuns(stack.db)) > 0);
    const [refunds] = (await org.get('/autopilot/evals')).body.items;
    const { body } = await org.get('/autopilot/evals/runs');
    expect(body.items.map(({ started_by }: { started_by: string }) => started_by)).toEqual(['api', 'nightly']);
    expect(await endOf(org, body.items[1].id)).toMatchObject({
      settings: 'published',
      drift: { compared_to: body.items[0].id, newly_failing: [refunds.id], newly_passing: [] },
    });
    expect((await off.get('/autopilot/evals/runs')).body.items).toEqual([]);
    expect(await startNightlyRuns(stack.db)).toBe(0);
  });
});

describe('eval cases', () => {
  it('are changed and deleted, while results stay', async () => {
    const org = await newOrg({ cases: [REFUNDS] });
    const { results } = await run(org);
    const id = results[0].case_id;
    expect(await org.patch(`/autopilot/evals/${id}`, { checks: { ends: 'asked' } })).toMatchObject({
      status: 200,
      body: { name: 'Refunds', checks: { ends: 'asked' }, messages: REFUNDS.messages },
    });
    const second = await run(org);
    expect(second).toMatchObject({ failed: 1, drift: { newly_failing: [id] } });
    expect((await org.delete(`/autopilot/evals/${id}`)).status).toBe(200);
    expect((await org.get('/autopilot/evals')).body.items).toEqual([]);
    expect((await org.get(`/autopilot/evals/runs/${second.id}`)).body.results).toHaveLength(1);
  });

  it('check which items are cited and which actions are called', async () => {
    const found = await stack.createOrg();
    const other = {
      ...REFUNDS,
      checks: { cites: ['https://elsewhere.example'], calls: [{ operation_id: 'x', called: 'always' }] },
    };
    await found.post('/autopilot/evals', other);
    const done = await run(found);
    expect(done.results[0].checks).toMatchObject([
      { check: 'cites', passed: false },
      { check: 'calls', passed: false, expected: 'x: always' },
    ]);
  });

  it('come from a CSV file, all or none', async () => {
    const org = await newAnsweringOrg(stack);
    const csv = `name,message,ends,contains,max_ms\n"Refunds, fast",${JSON.stringify(QUESTION)},answered,five working days|card,100000\nPerson,I want a human,handed_off,,\n`;
    expect(await org.post('/autopilot/evals/import', { csv })).toMatchObject({ status: 201, body: { imported: 2 } });
    expect((await org.get('/autopilot/evals')).body.items).toMatchObject([
      { name: 'Refunds, fast', channel: 'web', checks: { contains: ['five working days', 'card'], max_ms: 100_000 } },
      { name: 'Person', checks: { ends: 'handed_off' } },
    ]);
    expect(await run(org)).toMatchObject({ passed: 2 });
    const wrong = await org.post('/autopilot/evals/import', {
      csv: 'name,message,ends\nGood,Hello there,answered\nBad,Hello there,nowhere\nNothing,Hello,\n',
    });
    expect(wrong.status).toBe(400);
    expect(wrong.body.issues.map(({ path }: { path: string }) => path)).toEqual(['body.csv.2', 'body.csv.3']);
    expect((await org.post('/autopilot/evals/import', { csv: 'name,"message\nx' })).status).toBe(400);
    const refusalOf = async (rows: string) =>
      (await org.post('/autopilot/evals/import', { csv: `name,message\n${rows}` })).body.issues[0].message;
    const many = `${'One,Hello\n'.repeat(501)}a row,of too,many columns\n`;
    expect(await refusalOf(many)).toBe('row 501: there are more than 500 rows');
    expect(await refusalOf(`One,${'x'.repeat(100_001)}\n`)).toContain('Max Record Size');
    expect((await org.get('/autopilot/evals')).body.items).toHaveLength(2);
  });

  it('a CSV file may mix kinds of line ends, and a column that stands twice is refused by name', async () => {
    const org = await newAnsweringOrg(stack);
    const mixed =
      'name,message,ends\r\nOne,Hello there,answered\nTwo,"Hello\r\nthere",answered\r\nThree,Hello,answered\rFour,Hi,answered';
    expect((await org.post('/autopilot/evals/import', { csv: mixed })).body).toMatchObject({ imported: 4 });
    for (const csv of ['name,message, name\nA,Hello there,B\n', '\ufeffmessage,name,"message"\nA,B,C\n']) {
      const { status, body } = await org.post('/autopilot/evals/import', { csv });
      expect([status, body.message]).toEqual([400, expect.stringMatching(/"(name|message)" appears more than once/)]);
    }
    expect((await org.get('/autopilot/evals')).body.items).toHaveLength(4);
  });

  it('come from a session, and go with its texts when it is redacted', async () => {
    const org = await newAnsweringOrg(stack);
    const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
    await org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text: QUESTION } });
    await org.post(`/chat/sessions/${id}/send`, {
      sender: 'contact',
      message: { type: 'text', text: 'Thanks, my name is Ada Unmistakable' },
    });
    const wanted = { name: 'About Ada Unmistakable', checks: { ends: 'answered' }, session_id: id };
    const made = await org.post('/autopilot/evals', wanted);
    expect(made).toMatchObject({ status: 201, body: { session_id: id, channel: 'api' } });
    expect(made.body.messages.map(({ sender }: { sender: string }) => sender)).toEqual(['contact', 'ai', 'contact']);
    const done = await run(org);
    expect((await stack.other.post('/autopilot/evals', wanted)).status).toBe(404);
    expect((await org.post('/autopilot/evals', { ...wanted, message_id: id })).status).toBe(400);

    await org.post('/redaction/session', { sessionId: id, reason: 'asked' });
    await eventually('the case to be gone', async () => (await org.get('/autopilot/evals')).body.items.length === 0);
    const left = await stack.db.selectFrom('ai_eval_results').selectAll().where('run_id', '=', done.id).execute();
    expect(left).toHaveLength(1);
    expect(JSON.stringify(left)).not.toContain('Unmistakable');
    expect((await org.get(`/autopilot/evals/runs/${done.id}`)).body).toMatchObject({ cases: 1, state: 'done' });
  });

  it.each<[string, object]>([
    ['no messages', { messages: undefined }],
    ['no check', { checks: {} }],
    ['an unknown check', { checks: { sounds: 'nice' } }],
    ['a message id without a session', { message_id: '01920000-0000-7000-8000-000000000001' }],
    ['an end that a turn cannot have', { checks: { ends: 'superseded' } }],
  ])('are refused with %s', async (_, wrong) => {
    expect((await stack.org.post('/autopilot/evals', { ...REFUNDS, ...wrong })).status).toBe(400);
  });

  it('cases with a contact of another org are refused', async () => {
    const { body } = await stack.other.post('/contacts', { contact: { email: 'eve@example.com' } });
    expect((await stack.org.post('/autopilot/evals', { ...REFUNDS, contact_id: body.id })).status).toBe(404);
  });
});
