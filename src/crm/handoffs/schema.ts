import { z } from 'zod';

/** Settling a part says that it is done, or that nobody wants it. */
export const SettlePart = z
  .object({
    part: z.enum(['contact', 'ticket', 'comment', 'conversation']),
    external_id: z
      .string()
      .regex(/^[\w-]{1,64}$/, 'must be an id of the ticketing system')
      .optional()
      .describe('The id of the object that somebody made by hand in the ticketing system.'),
  })
  .meta({ id: 'SettleHandoffPart', examples: [{ part: 'ticket', external_id: '512' }] });
export type SettlePart = z.infer<typeof SettlePart>;
