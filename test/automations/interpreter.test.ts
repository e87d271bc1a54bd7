import type { ActionStep, Json, Step } from '../../src/automations/blocks/schema.ts';
import { type Decision, nextStepAfter, resolveInput, StepError } from '../../src/automations/interpreter/rules.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.parse('2026-01-01T00:00:00Z');

const action = (id: string, input: ActionStep['input'] = {}): ActionStep => ({
  $kind: 'Action',
  id,
  type: 'note',
  name: id,
  input,
});
const ifElse = (id: string, left: Json, right: Json, then: Step[], otherwise?: Step[]): Step => ({
  $kind: 'Block',
  type: 'if-else',
  id,
  inputs: { condition: { operatorName: 'equals', left, right } },
  branches: { then, ...(otherwise && { else: otherwise }) },
});
const forEach = (id: string, items: Json, steps: Step[]): Step => ({
  $kind: 'Block',
  type: 'for-each',
  id,
  inputs: { items },
  branches: { do: steps },
});

class InvalidStep extends Error {
  readonly decisions: Decision[];

  constructor(message: string, decisions: Decision[]) {
    super(message);
    this.decisions = decisions;
  }
}

/** Runs a definition to its end. `give` returns the output of each action, and waits end at once. */
async function runDefinition(
  blocks: Step[],
  trigger: { [key: string]: Json } = {},
  give: (id: string, input: Json) => Json = (_, input) => input,
) {
  const memory = new Map<string, Json>();
  const read = async (places: string[]) =>
    new Map(places.flatMap((path) => (memory.has(path) ? [[path, memory.get(path) as Json] as const] : [])));
  const definition = { blocks, trigger };
  const trace: [string, Json][] = [];
  const decisions: Decision[] = [];
  let nowMs = START_MS;
  let after: string | undefined;
  for (let turns = 0; ; turns++) {
    if (turns > 10_000) throw new Error('no end');
    const found = await nextStepAfter(definition, { read }, { after, nowMs });
    for (const decision of found.decisions) memory.set(decision.path, decision.output);
    decisions.push(...found.decisions);
    const { next } = found;
    if (next.kind === 'invalid') throw new InvalidStep(next.message, decisions);
    if (next.kind === 'end') return { trace, decisions, minutes: (nowMs - START_MS) / MINUTE_MS };
    after = next.path;
    if (next.kind === 'action') {
      const input = await resolveInput(definition, { read }, next.path, next.step.input);
      trace.push([next.step.id, input]);
      memory.set(next.path, give(next.step.id, input));
    } else if (next.kind !== 'continue') {
      nowMs = next.untilMs;
      memory.set(next.path, { timed_out: true, event: null });
    }
  }
}
const idsOf = ({ trace }: { trace: [string, Json][] }) => trace.map(([id]) => id);

describe('the interpreter', () => {
  it('runs steps in order, and ends at once without steps', async () => {
    expect(idsOf(await runDefinition([action('a'), action('b')]))).toEqual(['a', 'b']);
    expect(idsOf(await runDefinition([]))).toEqual([]);
  });

  it('runs one branch of an if-else, then the steps after it', async () => {
    const blocks = (right: Json) => [
      ifElse('if', '{{trigger.output.plan}}', right, [action('yes')], [action('no')]),
      action('last'),
    ];
    expect(idsOf(await runDefinition(blocks('pro'), { plan: 'pro' }))).toEqual(['yes', 'last']);
    expect(idsOf(await runDefinition(blocks('free'), { plan: 'pro' }))).toEqual(['no', 'last']);
    expect(idsOf(await runDefinition([ifElse('if', 1, 2, [action('yes')]), action('last')]))).toEqual(['last']);
  });

  it('runs the matching case of a switch, otherwise its default', async () => {
    const blocks: Step[] = [
      {
        $kind: 'Block',
        type: 'switch',
        id: 'switch',
        inputs: { value: '{{trigger.output.kind}}' },
        branches: {
          cases: [
            { equals: 'a', steps: [action('a1'), action('a2')] },
            { equals: 'b', steps: [action('b1')] },
          ],
          default: [action('other')],
        },
      },
      action('last'),
    ];
    expect(idsOf(await runDefinition(blocks, { kind: 'a' }))).toEqual(['a1', 'a2', 'last']);
    expect(idsOf(await runDefinition(blocks, { kind: 'b' }))).toEqual(['b1', 'last']);
    expect(idsOf(await runDefinition(blocks, { kind: 'c' }))).toEqual(['other', 'last']);
  });

  it('runs nested loops, with each step seeing its own iteration', async () => {
    const blocks = [
      forEach('outer', '{{trigger.output.rows}}', [
        action('row', { row: '{{outer.output.item}}', at: '{{outer.output.index}}' }),
        forEach('inner', '{{row.output.row}}', [
          action('cell', { cell: '{{inner.output.item}}', of: '{{outer.output.index}}', seen: '{{row.output.at}}' }),
        ]),
      ]),
      action('last', { lost: '{{cell.output.cell}}', count: '{{outer.output.count}}' }),
    ];
    const { trace } = await runDefinition(blocks, { rows: [['a', 'b'], [], ['c']] });
    expect(trace).toEqual([
      ['row', { row: ['a', 'b'], at: 0 }],
      ['cell', { cell: 'a', of: 0, seen: 0 }],
      ['cell', { cell: 'b', of: 0, seen: 0 }],
      ['row', { row: [], at: 1 }],
      ['row', { row: ['c'], at: 2 }],
      ['cell', { cell: 'c', of: 2, seen: 2 }],
      ['last', { lost: null, count: 3 }],
    ]);
  });

  it('skips no branch when it evaluates blocks in several turns', async () => {
    const items = Array.from({ length: 600 }, (_, n) => n);
    const each = (n: number) => ifElse('if', '{{each.output.item}}', n, [action('do', { n: '{{each.output.item}}' })]);
    for (const n of [497, 498, 499]) {
      const { trace } = await runDefinition([forEach('each', items, [each(n)])]);
      expect(trace).toEqual([['do', { n }]]);
    }
  });

  it('throws a StepError if resolved references become too large', async () => {
    const step = action('big', { text: '{{trigger.output.body}}'.repeat(2_000) });
    const read = async () => new Map<string, Json>();
    const big = resolveInput({ blocks: [step], trigger: { body: 'x'.repeat(1_000_000) } }, { read }, '0', step.input);
    await expect(big).rejects.toBeInstanceOf(StepError);
  });

  it('waits for minutes or until a time, and rejects invalid and too long waits', async () => {
    const wait = (id: string, inputs: { minutes: Json } | { until: Json }): Step => ({
      $kind: 'Block',
      type: 'wait',
      id,
      inputs,
    });
    expect(
      await runDefinition([wait('w', { minutes: 10 }), wait('x', { until: '2026-01-02T00:00:00Z' })]),
    ).toMatchObject({
      minutes: 24 * 60,
    });
    expect(await runDefinition([wait('w', { until: '2020-01-01T00:00:00Z' })])).toMatchObject({ minutes: 0 });
    await expect(runDefinition([wait('w', { minutes: 'soon' })])).rejects.toThrow('the minutes are no number');
    await expect(runDefinition([wait('w', { minutes: 600_000 })])).rejects.toThrow('longer than a year');
  });

  it('returns the decisions made before a block with invalid inputs', async () => {
    const blocks = [ifElse('if', 1, 1, [forEach('each', ['a'], [forEach('inner', 'text', [action('never')])])])];
    const invalid = await runDefinition(blocks).catch((error: unknown) => error as InvalidStep);
    expect(invalid).toMatchObject({
      message: 'items is no list',
      decisions: [
        { path: '0', output: { result: true } },
        { path: '0.then.0', output: { items: ['a'], count: 1 } },
      ],
    });
  });

  it('resolves a step without a run to null, and keeps the type of a value referenced alone', async () => {
    const { trace } = await runDefinition(
      [
        ifElse('if', 1, 2, [action('never')]),
        action('a', {
          nothing: '{{never.output.x}}',
          whole: '{{trigger.output.n}}',
          text: 'n is {{trigger.output.n}}, {{ never.x }}!',
        }),
        action('b', { again: '{{a.whole}}', deep: '{{a.output.list.1.x}}' }),
      ],
      { n: 7 },
      (id, input) => (id === 'a' ? { ...(input as object), list: [{ x: 1 }, { x: 2 }] } : input),
    );
    expect(trace).toEqual([
      ['a', { nothing: null, whole: 7, text: 'n is 7, !' }],
      ['b', { again: 7, deep: 2 }],
    ]);
  });

  it.each<[string, string, boolean]>([
    ['10765432100123456789', '10765432100123456780', false],
    ['10765432100123456789', '+10765432100123456789.00', true],
    ['-0.10000000000000000001', '-.1', false],
    ['007', '7.0', true],
    ['1e3', '1000', true],
    ['1e999', '1e998', false],
  ])('compares the texts %s and %s with all of their digits', async (left, right, isEqual) => {
    const { trace } = await runDefinition([ifElse('if', left, right, [action('same')], [action('other')])]);
    expect(trace).toEqual([[isEqual ? 'same' : 'other', {}]]);
  });

  it('does not expand references in resolved values, and does not read prototypes', async () => {
    const { trace } = await runDefinition(
      [
        action('a', {
          text: '{{trigger.output.evil}}',
          proto: '{{trigger.output.__proto__.polluted}}',
          constructor: '{{trigger.output.constructor.name}}',
          length: '{{trigger.output.evil.length}}',
        }),
      ],
      { evil: '{{trigger.output.secret}}', secret: 'shh' },
    );
    expect(trace[0]?.[1]).toEqual({ text: '{{trigger.output.secret}}', proto: null, constructor: null, length: null });
  });

  it('fails to loop over anything but a list of at most 1,000 items', async () => {
    await expect(runDefinition([forEach('each', 'text', [action('a')])])).rejects.toThrow('no list');
    await expect(
      runDefinition([
        forEach(
          'each',
          Array.from({ length: 1_001 }, () => 1),
          [action('a')],
        ),
      ]),
    ).rejects.toThrow('more than 1000');
  });

  it('reaches the end of nested loops with thousands of decisions', async () => {
    const items = Array.from({ length: 60 }, (_, n) => n);
    const { trace, decisions } = await runDefinition([
      forEach('o', items, [forEach('i', items, [ifElse('if', '{{i.output.item}}', 59, [action('hit')])])]),
    ]);
    expect(trace).toHaveLength(60);
    expect(decisions).toHaveLength(1 + 60 + 3_600);
  });
});
