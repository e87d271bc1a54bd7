import { z } from 'zod';
import { isUuid } from '../../ids.ts';

/** A call as Vapi's API and callbacks show it, as far as we look at it. */
export const VapiCall = z.object({
  id: z.string().regex(/^[\x21-\x7e]{1,64}$/),
  status: z.string().optional().catch(undefined),
  endedReason: z.string().optional().catch(undefined),
  metadata: z.unknown().optional(),
  assistant: z.unknown().optional(),
  assistantOverrides: z.unknown().optional(),
});
export type VapiCall = z.infer<typeof VapiCall>;

const DeliveryMetadata = z.object({ metadata: z.object({ delivery_id: z.string().refine(isUuid) }) });

/** Our own id, where the call carries it. We send it with the assistant; platforms like Vapi keep it with the call itself. */
export const deliveryIdOf = (call: VapiCall): string | undefined =>
  [call, call.assistant, call.assistantOverrides]
    .map((part) => DeliveryMetadata.safeParse(part).data?.metadata.delivery_id)
    .find((id) => id !== undefined);

/** How calls end that were answered and held: by either side, by their own limits, or at or after a transfer. */
const ANSWERED_ENDINGS = [
  /^customer-ended-call/,
  /^assistant-(ended-call|said-end-call-phrase|forwarded-call)/,
  /^(exceeded-max-duration|silence-timed-out|vonage-completed)$/,
  /^call\.in-progress\.(twilio|sip)-completed-call$/,
  /^call\.in-progress\.error-(transfer-failed|warm-transfer-)/,
  /^call\.(forwarding|ending)\./,
];

/**
 * Whether the customer was spoken to. Not so when nobody answered, when anything failed before or during the call, and when a
 * machine answered: the assistant has no message for it and hangs up. What Vapi may add to its list counts as a failure.
 */
export const wasAnswered = (endedReason: string): boolean =>
  ANSWERED_ENDINGS.some((pattern) => pattern.test(endedReason));
