import { z } from 'zod';

const MAX_TOKENS = 1_000_000_000_000;
const MAX_COST = 1_000_000_000;
const MAX_PRICES = 50;

const Budget = z
  .strictObject({
    tokens: z.int().min(1).max(MAX_TOKENS).optional(),
    cost: z.number().positive().max(MAX_COST).optional().describe('In the currency of `prices`.'),
  })
  .refine(({ tokens, cost }) => tokens !== undefined || cost !== undefined, 'must have tokens or cost');

/** The most that models may cost. */
export const Budgets = z.strictObject({
  turn: Budget.optional(),
  session: Budget.optional(),
  day: Budget.optional().describe('Of the whole org, by UTC.'),
  month: Budget.optional().describe('Of the whole org, by UTC.'),
});
export type Budgets = z.infer<typeof Budgets>;

const Price = z.strictObject({
  input: z.number().min(0).max(MAX_COST).default(0),
  output: z.number().min(0).max(MAX_COST).default(0),
  cached: z.number().min(0).max(MAX_COST).optional().describe('Default: as input.'),
});

/** What a million tokens cost, by the name of the model. */
export const Prices = z
  .record(z.string().min(1).max(255), Price)
  .refine((prices) => Object.keys(prices).length <= MAX_PRICES, `must have at most ${MAX_PRICES} models`);
export type Prices = z.infer<typeof Prices>;
export type Price = z.infer<typeof Price>;

const Day = z.iso.date();

export const ListUsage = z.object({
  from: Day.optional().describe('The first day (UTC). Absent: 30 days before `to`.'),
  to: Day.optional().describe('The last day (UTC). Absent: today.'),
  group_by: z.enum(['day', 'model', 'purpose']).default('day'),
});
export type ListUsage = z.infer<typeof ListUsage>;

export const Usage = z
  .object({
    from: z.string(),
    to: z.string(),
    items: z.array(
      z.object({
        group: z.string().describe('The day, the model or the purpose.'),
        calls: z.int(),
        failed_calls: z.int().describe('Calls without a usable answer. They cost tokens too.'),
        estimated_calls: z.int().describe('Calls of which the provider did not count the tokens.'),
        input: z.int(),
        output: z.int(),
        cached: z.int().describe('The part of `input` that the provider had from before.'),
        cost: z.number().describe('By the prices of the settings at the time.'),
      }),
    ),
  })
  .meta({
    id: 'AutopilotUsage',
    examples: [
      {
        from: '2026-01-01',
        to: '2026-01-30',
        items: [
          {
            group: '2026-01-07',
            calls: 12,
            failed_calls: 0,
            estimated_calls: 0,
            input: 21_400,
            output: 1_900,
            cached: 0,
            cost: 0.0062,
          },
        ],
      },
    ],
  });
