import { z } from 'zod';
import { OPERATORS, TriggerType, UNARY_OPERATORS } from './schema.ts';

const MAX_MINUTES = 525_600;
const MAX_CASES = 100;
const MAX_ATTEMPTS = 10;
const MAX_ID = 100;
const REFERENCE_PATTERN = /\{\{[^{}]{1,500}\}\}/;

const StepId = z
  .string('is missing: each step has an id')
  .regex(/^[A-Za-z][A-Za-z0-9_-]*$/, 'must be a letter, then letters, digits, _ or -')
  .max(MAX_ID)
  .refine((id) => id !== 'trigger', 'must not be "trigger", which names what started the run')
  .describe('Unique in the workflow. Other steps refer to it as {{id.output.field}}.');
const Value = z
  .unknown()
  .refine((value) => value !== undefined, 'is missing')
  .describe('Any JSON, with references.');
const Literal = z
  .unknown()
  .refine((value) => value !== undefined, 'is missing')
  .describe('Any JSON, without references.');
const Steps = z.array(z.unknown(), 'must be a list of steps').describe('Steps.');
/** Accepts a value, or a reference in its place. */
const orReference = <Schema extends z.ZodType>(schema: Schema, error: string) =>
  z.union(
    [schema, z.string().regex(REFERENCE_PATTERN, error).describe('A reference, such as {{step.output.field}}.')],
    error,
  );
const Minutes = orReference(
  z.number().min(0).max(MAX_MINUTES),
  `must be minutes from 0 to ${MAX_MINUTES}, or a reference`,
);
const block = <Type extends string, More extends z.ZodRawShape>(type: Type, more: More) =>
  z.strictObject({ $kind: z.literal('Block'), type: z.literal(type), id: StepId, ...more });

/**
 * The condition of `if-else`: one operator and its operands. A constraint is something else: JSON Logic, see
 * `src/json-logic`.
 */
const Condition = z
  .strictObject({
    operatorName: z
      .enum(OPERATORS)
      .describe(`Compares left with right. ${UNARY_OPERATORS.join(' and ')} test left alone. No JSON Logic.`),
    left: Value,
    right: z.unknown().optional().describe('As left.'),
  })
  .refine(({ operatorName, right }) => right !== undefined || UNARY_OPERATORS.includes(operatorName), {
    path: ['right'],
    error: 'is missing: the operator compares left with it',
  });

/** The fields of every action step. Each action has its own schema of `input`. */
export const ActionShape = z.strictObject({
  $kind: z.literal('Action'),
  id: StepId,
  type: z.string().describe('One of the actions.'),
  name: z.string().min(1).max(255).describe('Display name.'),
  input: z.record(z.string(), z.unknown()).describe('As the action says; any string may hold references.'),
  retry: z
    .strictObject({ attempts: z.int().min(1).max(MAX_ATTEMPTS).describe('Total number of attempts. 3 when absent.') })
    .optional(),
  on_error: z.enum(['fail', 'continue']).optional().describe('fail when absent.'),
  retry_safe: z
    .boolean()
    .optional()
    .describe(
      'Whether the called system does repeated requests with the same Idempotency-Key once. Otherwise a send-webhook, other than a GET, whose outcome is unknown fails, and is not made again by itself. false when absent.',
    ),
});

export interface BlockShape {
  title: string;
  description: string;
  shape: z.ZodType;
  /** Schema of the output, available to other steps as {{id.output}}. */
  output: z.ZodType;
}

/** Control blocks by type. */
export const BLOCKS: ReadonlyMap<string, BlockShape> = new Map(
  Object.entries({
    'if-else': {
      title: 'If, else',
      description: 'Continues in one of two branches.',
      shape: block('if-else', {
        inputs: z.strictObject({ condition: Condition }),
        // biome-ignore lint/suspicious/noThenProperty: the name of the field in the API, in what nobody awaits
        branches: z.strictObject({ then: Steps, else: Steps.optional() }),
      }),
      output: z.object({ result: z.boolean() }),
    },
    switch: {
      title: 'Switch',
      description: 'Continues in the branch of the first case equal to the value, otherwise in default.',
      shape: block('switch', {
        inputs: z.strictObject({ value: Value }),
        branches: z.strictObject({
          cases: z
            .array(z.strictObject({ equals: Literal, steps: Steps }))
            .min(1)
            .max(MAX_CASES),
          default: Steps.optional(),
        }),
      }),
      output: z.object({ case: z.int().nullable().describe('Index of the case, from 0. null: default.') }),
    },
    'for-each': {
      title: 'For each',
      description:
        'Runs its steps for each item of a list, one after the other, for at most 1,000 items. Inside, {{id.output.item}} is the current item and {{id.output.index}} its number from 0.',
      shape: block('for-each', {
        inputs: z.strictObject({
          items: orReference(z.array(z.unknown()).max(1_000), 'must be a list, or a reference to one'),
        }),
        branches: z.strictObject({ do: Steps }),
      }),
      output: z.object({ items: z.array(z.unknown()), count: z.int(), item: z.unknown(), index: z.int() }),
    },
    wait: {
      title: 'Wait',
      description: 'Waits for some minutes, or until a time.',
      shape: block('wait', {
        inputs: z.union(
          [
            z.strictObject({ minutes: Minutes }),
            z.strictObject({
              until: orReference(
                z.iso.datetime({ offset: true }),
                'must be an ISO 8601 date-time, such as 2026-01-31T12:00:00Z, or a reference',
              ),
            }),
          ],
          {
            error: `must be {minutes} from 0 to ${MAX_MINUTES}, or {until} as an ISO 8601 date-time, or either with a reference`,
          },
        ),
      }),
      output: z.object({ until: z.iso.datetime() }),
    },
    'wait-for-event': {
      title: 'Wait for an event',
      description: 'Waits for an event matching the constraint. Events since the run’s start count.',
      shape: block('wait-for-event', {
        inputs: z.strictObject({
          trigger_type: TriggerType,
          constraint: z.unknown().optional().describe('JSON Logic over the event, with references.'),
          timeout_minutes: Minutes,
        }),
      }),
      output: z.object({
        timed_out: z.boolean(),
        event: z.unknown().describe('Like trigger.output. null: no event came.'),
      }),
    },
  }),
);
