import fc from 'fast-check';
import { resolveReferences } from '../../src/automations/blocks/references.rules.ts';
import { OPERATORS, type Step } from '../../src/automations/blocks/schema.ts';
import { type UnvalidatedDefinition, validateDefinition } from '../../src/automations/validation/definition.ts';
import { definitions } from '../support/definitions.ts';
import { cpuTimeOf } from '../support/measure.ts';

const UUID = '00000000-0000-4000-8000-000000000000';
/** Far more than validation takes on a loaded machine, and far less than a mistake would take. */
const SOON_MS = 30_000;

const note = (id: unknown, text: unknown = 'x', more: object = {}) => ({
  $kind: 'Action',
  id,
  type: 'add-note',
  name: 'Note',
  input: { session_id: UUID, text },
  ...more,
});
const block = (type: string, id: string, inputs: unknown, branches?: unknown) => ({
  $kind: 'Block',
  type,
  id,
  inputs,
  ...(branches === undefined ? {} : { branches }),
});
const when = (condition: object, then: unknown[] = [], more: object = {}) =>
  block('if-else', 'if', { condition: { operatorName: 'equals', left: 1, right: 1, ...condition } }, { then, ...more });
const loop = (steps: unknown[], items: unknown = [1]) => block('for-each', 'loop', { items }, { do: steps });
const hook = (input: object) => ({ $kind: 'Action', id: 'h', type: 'send-webhook', name: 'Hook', input });
const mail = (recipient: object) => ({
  $kind: 'Action',
  id: 'm',
  type: 'send-email',
  name: 'Mail',
  input: {
    from_email: 'us@acme.example',
    fallback_email_subject: 'Hi',
    fallback_email_body: 'x',
    recipients: [recipient],
  },
});
const validate = (blocks: unknown, more: Partial<UnvalidatedDefinition> = {}) =>
  validateDefinition({ trigger_type: 'manual-trigger', workflow_blocks: blocks, ...more });
const issues = (blocks: unknown, more: Partial<UnvalidatedDefinition> = {}) =>
  validate(blocks, more).issues.map(({ step_id, message }) => `${step_id}: ${message}`);
const nested = (deep: number): unknown[] => (deep === 1 ? [note('n')] : [loopOf(`l${deep}`, nested(deep - 1))]);
const loopOf = (id: string, steps: unknown[]) => block('for-each', id, { items: [1] }, { do: steps });

describe('validation of a valid definition', () => {
  it.each<[string, unknown[]]>([
    ['is empty', []],
    ['refers to the trigger', [note('a', '{{trigger.output.session.id}}')]],
    ['refers to a step before', [note('a'), note('b', '{{a.output.message_id}}'), note('c', '{{ a.message_id }}')]],
    [
      'refers to a step of a branch before',
      [when({}, [note('a')], { else: [note('b', '{{a.x}}')] }), note('c', '{{b.x}}')],
    ],
    ['refers to a block before', [when({}), note('c', '{{if.result}}')]],
    ['refers to its loop', [loop([note('a', '{{loop.output.item.name}} {{loop.index}}'), note('b', '{{a.x}}')])]],
    ['refers to a loop’s count behind it', [loop([note('a')]), note('b', '{{loop.output.count}}')]],
    [
      'has references for text, objects and lists',
      [
        hook({
          url: '{{trigger.url}}',
          headers: '{{trigger.headers}}',
          body: '{{trigger.output}}',
          timeout_seconds: '{{trigger.t}}',
        }),
        { ...note('s'), type: 'send-sms', input: { contact: { id: '{{trigger.contact.id}}' }, text: 'Hi' } },
        { ...note('t'), type: 'tag-ticket', input: { session_id: '{{trigger.session.id}}', tags: '{{trigger.tags}}' } },
      ],
    ],
    [
      'has all blocks',
      [
        block('switch', 's', { value: '{{trigger.x}}' }, { cases: [{ equals: 'a', steps: [note('a')] }], default: [] }),
        block('wait', 'w', { minutes: 525_600 }),
        block('wait', 'u', { until: '2026-01-31T12:00:00+02:00' }),
        block('wait', 'v', { until: '{{trigger.output.until}}' }),
        block('wait-for-event', 'e', {
          trigger_type: 'ticket-tag-added',
          constraint: { '==': [{ var: 'tag' }, '{{w.x}}'] },
          timeout_minutes: 0,
        }),
      ],
    ],
    ['has one-sided operators', [when({ operatorName: 'is_empty', right: undefined })]],
    ['is 200 steps long', Array.from({ length: 200 }, (_, n) => note(`n${n}`))],
    ['is 10 deep', nested(10)],
    ['says what becomes of errors', [note('a', 'x', { retry: { attempts: 10 }, on_error: 'continue' })]],
  ])('accepts a definition that %s', (_, blocks) => {
    expect(issues(blocks)).toEqual([]);
    expect(validate(blocks).steps).toEqual(blocks);
  });

  it('returns the action types used in all branches, each once', () => {
    expect(
      validate([note('a'), when({}, [hook({ url: 'https://example.com' })]), note('b')]).action_types_used,
    ).toEqual(['add-note', 'send-webhook']);
  });
});

describe('validation of an invalid definition', () => {
  it.each<[string, unknown, string[]]>([
    ['no list', 'x', ['null: workflow_blocks must be a list of steps']],
    ['no object', [7], ['null: workflow_blocks[0]: must be a step, which is an object']],
    ['no kind', [{ id: 'a' }], ['a: $kind must be "Action" or "Block"']],
    [
      'unknown action',
      [note('a', 'x', { type: 'nope' })],
      ['a: there is no action "nope": GET /workflows/definitions lists them'],
    ],
    [
      'an inherited name for an action',
      [note('a', 'x', { type: 'constructor' })],
      ['a: there is no action "constructor": GET /workflows/definitions lists them'],
    ],
    [
      'unknown block',
      [block('while', 'a', {})],
      ['a: there is no block "while": GET /workflows/definitions lists them'],
    ],
    ['no id', [note(undefined)], ['null: workflow_blocks[0]: id: is missing: each step has an id']],
    [
      'no id in a branch',
      [when({}, [note(7)])],
      ['null: workflow_blocks[0].branches.then[0]: id: is missing: each step has an id'],
    ],
    ['ill-formed id', [note('1a')], ['1a: id: must be a letter, then letters, digits, _ or -']],
    ['reserved id', [note('trigger')], ['trigger: id: must not be "trigger", which names what started the run']],
    [
      'duplicate id',
      [note('a'), when({}, [note('a')])],
      ['a: id: 2 steps are called "a", and each needs a different id'],
    ],
    ['no name', [note('a', 'x', { name: undefined })], ['a: name: is missing']],
    ['unknown field', [note('a', 'x', { colour: 1 })], ['a: Unrecognized key: "colour"']],
    ['unknown field of a block', [{ ...when({}), name: 'x' }], ['if: Unrecognized key: "name"']],
    ['missing input', [hook({})], ['h: input.url: must be an http or https URL']],
    ['wrong literal', [note('a', 7)], ['a: input.text: Invalid input: expected string, received number']],
    [
      'unknown field in a list of an input',
      [mail({ to_email: 'ann@example.com', is_transactional: true })],
      ['m: input.recipients.0: Unrecognized key: "is_transactional"'],
    ],
    ['unknown input', [hook({ url: 'https://example.com', verb: 'GET' })], ['h: input: Unrecognized key: "verb"']],
    [
      'wrong literal beside references',
      [{ ...note('s'), type: 'send-sms', input: { contact: { id: 'x' }, text: '{{trigger.a}}' } }],
      ['s: input.contact.id: must be a UUID'],
    ],
    [
      'header of the connection',
      [hook({ url: 'https://example.com', headers: { Host: 'x' } })],
      ['h: input.headers.Host: is not a possible name here'],
    ],
    ['later step', [note('a', '{{b.x}}'), note('b')], ['a: refers to "b": that step comes later']],
    ['itself', [note('a', '{{a.x}}')], ['a: refers to "a": a step cannot refer to itself']],
    ['missing step', [note('a', 'Hi {{ nobody.output.x }}')], ['a: refers to "nobody": there is no such step']],
    [
      'inherited name',
      [note('a', '{{__proto__.x}} {{constructor.name}}')],
      ['a: refers to "__proto__": there is no such step', 'a: refers to "constructor": there is no such step'],
    ],
    [
      'inside of a loop',
      [loop([note('a')]), note('b', '{{a.x}}')],
      ['b: refers to "a": that step is in the loop "loop", and is known only inside of it'],
    ],
    [
      'item outside of its loop',
      [loop([]), note('b', '{{loop.output.item}}')],
      ['b: refers to "loop": item is known only inside of the loop'],
    ],
    [
      'unknown operator',
      [when({ operatorName: '==' })],
      [
        'if: inputs.condition.operatorName: Invalid option: expected one of ' +
          OPERATORS.map((name) => `"${name}"`).join('|'),
      ],
    ],
    [
      'no right operand',
      [when({ right: undefined })],
      ['if: inputs.condition.right: is missing: the operator compares left with it'],
    ],
    ['no left operand', [when({ left: undefined })], ['if: inputs.condition.left: is missing']],
    [
      'no then',
      [block('if-else', 'i', { condition: { operatorName: 'is_empty', left: 1 } }, {})],
      ['i: branches.then: must be a list of steps'],
    ],
    ['no cases', [block('switch', 's', { value: 1 }, { cases: [] })], ['s: branches.cases: must not be empty']],
    [
      'a case without steps',
      [block('switch', 's', { value: 1 }, { cases: [{ equals: 1 }] })],
      ['s: branches.cases.0.steps: must be a list of steps'],
    ],
    [
      'a case with a reference',
      [block('switch', 's', { value: 1 }, { cases: [{ equals: '{{trigger.x}}', steps: [] }] })],
      ['s: branches.cases.0.equals: must be without references: compare them by if-else'],
    ],
    ['items that are no list', [loop([], 'x')], ['loop: inputs.items: must be a list, or a reference to one']],
    ['a loop without steps', [block('for-each', 'f', { items: [] }, {})], ['f: branches.do: must be a list of steps']],
    [
      'no timeout',
      [block('wait-for-event', 'e', { trigger_type: 'webhook' })],
      ['e: inputs.timeout_minutes: must be minutes from 0 to 525600, or a reference'],
    ],
    [
      'unknown event',
      [block('wait-for-event', 'e', { trigger_type: 'x', timeout_minutes: 1 })],
      [expect.stringMatching(/^e: inputs\.trigger_type: Invalid option/) as unknown as string],
    ],
    [
      'odd constraint',
      [block('wait-for-event', 'e', { trigger_type: 'webhook', constraint: { method: [] }, timeout_minutes: 1 })],
      ['e: inputs.constraint: the operator method is not known'],
    ],
    [
      'too many tries',
      [note('a', 'x', { retry: { attempts: 11 } })],
      ['a: retry.attempts: Too big: expected number to be <=10'],
    ],
    [
      'odd on_error',
      [note('a', 'x', { on_error: 'stop' })],
      ['a: on_error: Invalid option: expected one of "fail"|"continue"'],
    ],
    [
      'too deep',
      nested(11),
      [expect.stringMatching(/^null: workflow_blocks.*steps must be nested at most 10 deep$/) as unknown as string],
    ],
    [
      '201 steps',
      Array.from({ length: 201 }, (_, n) => note(`n${n}`)),
      ['null: workflow_blocks must have at most 200 steps in all'],
    ],
  ])('reports the problem with its step: %s', (_, blocks, expected) => {
    expect(issues(blocks)).toEqual(expected);
    expect(validate(blocks).steps).toBeUndefined();
  });

  it.each<unknown>([
    { minutes: -1 },
    { minutes: 525_601 },
    { minutes: '5' },
    { until: 'tomorrow' },
    { until: 5 },
    {},
    { minutes: 1, until: '2026-01-31T12:00:00Z' },
    null,
  ])('rejects a wait with the inputs %j', (inputs) =>
    expect(issues([block('wait', 'w', inputs)])).toEqual([expect.stringMatching(/^w: inputs/)]),
  );

  it('reports all problems at once', () => {
    const blocks = [note('a', '{{z.x}}', { colour: 1 }), when({ right: undefined }, [note('b', 7), note('a')])];
    expect(issues(blocks)).toHaveLength(5);
  });
});

describe('validation of a trigger', () => {
  const of = (trigger_type: unknown, trigger_configuration?: unknown, trigger_constraints?: unknown) =>
    issues([], { trigger_type, trigger_configuration, trigger_constraints });

  it.each<[string, unknown]>([
    ['cron-trigger', { cron: '*/5 9-17 * jan-jun MON-FRI', timezone: 'Europe/Berlin' }],
    ['cron-trigger', { cron: '0 0 29 2 *', timezone: 'UTC' }],
    ['ticket-inactive', { minutes: 525_600 }],
    ['form-trigger', { fields: [{ name: 'email', type: 'email', required: true }] }],
    ['webhook', null],
    ['ticket-created', undefined],
  ])('accepts %s with the configuration %j', (type, configuration) => expect(of(type, configuration)).toEqual([]));

  it.each<[string, unknown, string]>([
    ['cron-trigger', null, 'needs one'],
    ['cron-trigger', { cron: '* * * *', timezone: 'UTC' }, 'must have five fields'],
    ['cron-trigger', { cron: '0 * * * * *', timezone: 'UTC' }, 'must have five fields'],
    ['cron-trigger', { cron: '61 * * * *', timezone: 'UTC' }, 'Invalid value for minute'],
    ['cron-trigger', { cron: '0 0 L * *', timezone: 'UTC' }, 'field 3'],
    ['cron-trigger', { cron: '@daily', timezone: 'UTC' }, 'must have five fields'],
    ['cron-trigger', { cron: '0 0 30 2 *', timezone: 'UTC' }, 'never comes'],
    ['cron-trigger', { cron: '0 0 30 2 1', timezone: 'UTC' }, 'never comes'],
    ['cron-trigger', { cron: '0 9 * * *', timezone: 'Mars/Phobos' }, 'IANA'],
    ['cron-trigger', { cron: '0 9 * * *', timezone: '+02:00' }, 'IANA'],
    ['ticket-inactive', { minutes: 0 }, 'minutes'],
    ['ticket-inactive', { minutes: 525_601 }, 'minutes'],
    ['ticket-inactive', {}, 'minutes: is missing'],
    ['form-trigger', { fields: [] }, 'fields'],
    ['form-trigger', { fields: [{ name: 'a b', type: 'text' }] }, 'fields.0.name'],
  ])('rejects %s with the configuration %j', (type, configuration, message) => {
    expect(of(type, configuration)).toEqual([expect.stringContaining(message)]);
  });

  it.each([undefined, 7, 'nope', '__proto__', ['webhook']])('rejects %j as a trigger type', (type) => {
    expect(of(type)).toEqual([expect.stringContaining('trigger_type')]);
  });

  it.each<unknown>([
    { method: [{ var: 'a' }] },
    { '==': [1, 2], and: [] },
    'true',
    7,
    [1],
    { constructor: [] },
    { throw: 'x' },
  ])('rejects the constraints %j', (constraints) =>
    expect(of('webhook', null, constraints)).toEqual([expect.stringContaining('trigger_constraints: ')]),
  );
});

describe('validation of random and hostile input', () => {
  const soon = <T>(work: () => T): T => {
    const [result, cpuMs] = cpuTimeOf(work);
    expect(cpuMs).toBeLessThan(SOON_MS);
    return result;
  };
  const deepList = (deep: number) => JSON.parse('['.repeat(deep) + ']'.repeat(deep));
  const BRACES = ['{', '{{', '{{a', '{{a.', '{{ {{', '}}', '{{{{a}}', ' '].map((part) =>
    part.repeat(1_000_000 / part.length),
  );

  it('accepts generated definitions of all shapes', () => {
    fc.assert(
      fc.property(definitions(), (definition) => {
        expect(validateDefinition(definition).issues).toEqual([]);
      }),
    );
  });

  it('reports references to a removed step', () => {
    fc.assert(
      fc.property(definitions(), ({ workflow_blocks: blocks }) => {
        const all = [...blocks, note('last', `{{${blocks[0]?.id}.x}}`)] as Step[];
        expect(issues(all.slice(blocks.length > 0 ? 1 : 0))).toContain(
          `last: refers to "${blocks[0]?.id}": there is no such step`,
        );
      }),
    );
  });

  it('handles any JSON in any place without a crash', () => {
    fc.assert(
      fc.property(definitions(), fc.jsonValue({ maxDepth: 6 }), fc.nat(), (definition, value, nth) => {
        const text = JSON.stringify(definition);
        const places = [...text.matchAll(/:("[^"]*"|[\d.]+)(?=[,}])/g)];
        const place = places[nth % places.length];
        const changed =
          place && `${text.slice(0, place.index)}:${JSON.stringify(value)}${text.slice(place.index + place[0].length)}`;
        soon(() => validateDefinition(JSON.parse(changed ?? text)));
        soon(() => validate(value));
      }),
    );
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'treats %s as an ordinary name anywhere',
    (name) => {
      const text = JSON.stringify([
        note('a'),
        when({}, [note('b')]),
        hook({ url: 'https://example.com', body: { KEY: 1 } }),
      ]);
      for (const place of [...text.matchAll(/"(\w+|\$kind)":/g)]) {
        const changed = `${text.slice(0, place.index)}"${name}":${text.slice(place.index + place[0].length)}`;
        validate(JSON.parse(changed));
      }
      expect(validate(JSON.parse(text.replace('KEY', name))).issues).toEqual([]);
      expect(
        issues(JSON.parse(`[${JSON.stringify(note('a')).replace('{', `{"${name}":{"polluted":1},`)}]`)),
      ).toHaveLength(1);
      expect(({} as { polluted?: number }).polluted).toBeUndefined();
    },
  );

  it('survives values nested 200,000 levels deep', () => {
    for (const deep of [64, 1_000, 10_000, 200_000]) {
      const value = deepList(deep);
      const more = { trigger_constraints: value, trigger_configuration: value };
      expect(soon(() => validate([note('a', 'x', { input: value })], more)).issues.length).toBeGreaterThan(0);
      expect(soon(() => validate(value)).issues.length).toBeGreaterThan(0);
    }
  });

  it('handles a megabyte of braces within seconds, in validation and in resolved references', () => {
    for (const text of BRACES) {
      soon(() => validate([hook({ url: 'https://example.com', body: text })]));
      soon(() => validate([note(text), note('b', `{{${text}}}`)]));
      soon(() => resolveReferences(text, new Map([['a', 'x']])));
      soon(() => resolveReferences(`{{${text}`, new Map()));
    }
    expect(soon(() => issues(Array.from({ length: 50_000 }, () => 7))).length).toBeLessThanOrEqual(200);
    soon(() =>
      validate([
        note(
          'a',
          Array.from({ length: 60_000 }, () => '{{x.y}}'),
        ),
      ]),
    );
  });
});
