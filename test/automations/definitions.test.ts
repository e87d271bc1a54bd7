import { ACTIONS } from '../../src/automations/actions/registry.ts';
import { OPERATORS, TRIGGER_TYPES } from '../../src/automations/blocks/schema.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const note = (text: string) => ({
  $kind: 'Action',
  id: 'note',
  type: 'add-note',
  name: 'Note',
  input: { session_id: '{{trigger.output.session.id}}', text },
});

describe('GET /workflows/definitions', () => {
  it('lists every action, block, operator and trigger, with JSON Schemas', async () => {
    const { status, body } = await api.org.get('/workflows/definitions');
    expect(status).toBe(200);
    expect(body.actions.map(({ type }: { type: string }) => type)).toEqual([...ACTIONS.keys()]);
    expect(body.blocks.map(({ type }: { type: string }) => type)).toEqual([
      'if-else',
      'switch',
      'for-each',
      'wait',
      'wait-for-event',
    ]);
    expect(body.operators).toEqual(OPERATORS);
    expect(body.triggers.map(({ type }: { type: string }) => type)).toEqual(TRIGGER_TYPES);
    for (const { title, description, input, output } of body.actions) {
      expect([title, description]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
      expect(input).toMatchObject({ type: 'object', additionalProperties: false, properties: expect.any(Object) });
      expect(output.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    }
    for (const { output } of body.triggers)
      expect(output.required).toEqual(expect.arrayContaining(['event_id', 'occurred_at', 'trigger_type']));
    const configured = body.triggers.filter(({ configuration }: { configuration: unknown }) => configuration !== null);
    expect(configured.map(({ type }: { type: string }) => type)).toEqual([
      'ai-trigger',
      'cron-trigger',
      'form-trigger',
      'webhook',
      'ticket-inactive',
    ]);
  });

  it('contains every schema it refers to', async () => {
    const { body } = await api.org.get('/workflows/definitions');
    for (const schema of [
      ...body.actions.flatMap((one: { input: object; output: object }) => [one.input, one.output]),
      ...body.triggers.map(({ output }: { output: object }) => output),
    ]) {
      const names = [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map(
        ([, name]) => name as string,
      );
      expect(Object.keys(schema.$defs ?? {})).toEqual(expect.arrayContaining(names));
    }
  });
});

describe('POST /workflows/validate', () => {
  const validate = async (body: object) => {
    const answer = await api.org.post('/workflows/validate', body);
    expect(answer.status).toBe(200);
    return answer.body;
  };

  it('reports a valid workflow with its action types', async () => {
    expect(await validate({ trigger_type: 'ticket-created', workflow_blocks: [note('Hi')] })).toEqual({
      valid: true,
      issues: [],
      action_types_used: ['add-note'],
    });
  });

  it('reports every problem with its step', async () => {
    const blocks = [note('{{later.x}}'), { ...note('x'), id: 'later', type: 'nope' }];
    expect(
      await validate({ trigger_type: 'cron-trigger', workflow_blocks: blocks, trigger_constraints: { x: 1 } }),
    ).toEqual({
      valid: false,
      issues: [
        { step_id: null, message: 'trigger_constraints: the operator x is not known' },
        { step_id: null, message: 'trigger_configuration: cron-trigger needs one' },
        { step_id: 'note', message: 'refers to "later": that step comes later' },
        { step_id: 'later', message: 'there is no action "nope": GET /workflows/definitions lists them' },
      ],
      action_types_used: ['add-note', 'nope'],
    });
  });

  it('validates fields of any type, and rejects missing ones', async () => {
    for (const odd of [null, 7, 'x', {}, [[]], [null]]) {
      expect((await validate({ trigger_type: odd, workflow_blocks: odd })).valid).toBe(false);
    }
    expect((await api.org.post('/workflows/validate', {})).status).toBe(400);
  });

  it('requires a key with the scope workflows:read', async () => {
    const limited = await api.org.withScopes('tags:read');
    expect((await limited.post('/workflows/validate', {})).status).toBe(403);
    expect((await limited.get('/workflows/definitions')).status).toBe(403);
    const reading = await api.org.withScopes('workflows:read');
    const whole = { trigger_type: 'webhook', workflow_blocks: [] };
    expect((await reading.post('/workflows/validate', whole)).body.valid).toBe(true);
  });
});

describe('a workflow', () => {
  it.each<[trigger: string, configuration: object | null, warnings: string[]]>([
    ['ticket-created', null, []],
    ['ticket-created', { channel: 'web' }, ['channel has no effect: ticket-created has no configuration']],
    ['cron-trigger', { cron: '0 9 * * 1', timezone: 'UTC' }, []],
    ['cron-trigger', { cron: '0 9 * * 1', tz: 'Europe/Berlin' }, ['tz has no effect: cron-trigger knows cron']],
    ['webhook', { secret: 'a secret of 16 characters' }, []],
    [
      'form-trigger',
      { fields: [{ name: 'age', type: 'number', requred: true }] },
      ['fields.0.requred has no effect: it is not known there'],
    ],
  ])(
    'started by %s with the configuration %j warns of what nothing reads',
    async (trigger, configuration, warnings) => {
      const { status, body } = await api.org.post('/workflows', {
        name: 'One',
        trigger_type: trigger,
        trigger_configuration: configuration,
        workflow_blocks: [],
      });
      expect([status, body.message]).toEqual([201, undefined]);
      const expected = warnings.map((warning) => expect.stringContaining(`trigger_configuration.${warning}`));
      expect(body.warnings).toEqual(expected);
      expect((await api.org.get(`/workflows/${body.workflow_id}`)).body.warnings).toEqual(expected);
    },
  );
});

describe('PATCH /workflows/{id} with If-Match', () => {
  it('saves only over the version that was seen, also if two save at once', async () => {
    const { body } = await api.org.post('/workflows', {
      name: 'Note',
      trigger_type: 'ticket-created',
      workflow_blocks: [note('Hello')],
    });
    const path = `/workflows/${body.workflow_id}`;
    const save = (name: string, ifMatch: string) => api.org.patch(path, { name }, { headers: { 'if-match': ifMatch } });
    const both = await Promise.all([save('Of Ann', '1'), save('Of Ben', '1')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    expect(both.find(({ status }) => status === 412)?.body).toMatchObject({
      code: 'changed',
      message: expect.stringContaining('its latest version is 2'),
    });
    expect((await api.org.get(`${path}/versions`)).body.items).toHaveLength(2);
    await api.org.post(`${path}/activate`, { version_number: 1 });
    expect((await save('Of whom the active version is known', '"1"')).status).toBe(412);
    expect((await save('Of Ben', '"2"')).status).toBe(200);
    expect((await save('Of Zoe', '*')).status).toBe(200);
    expect((await save('Of Zoe', 'two')).status).toBe(400);
  });
});
