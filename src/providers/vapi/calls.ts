import { z } from 'zod';
import { isUuid } from '../../ids.ts';
import { storable } from '../storable.rules.ts';

/** A text of Vapi, if there is one. */
export const Text = z.string().transform(storable).optional().catch(undefined);

/** The used part of a call in Vapi's API and callbacks. */
export const VapiCall = z.object({
  id: z.string().regex(/^[\x21-\x7e]{1,64}$/),
  status: Text,
  endedReason: Text,
  metadata: z.unknown().optional(),
  assistant: z.unknown().optional(),
  assistantOverrides: z.unknown().optional(),
});
export type VapiCall = z.infer<typeof VapiCall>;

const WithMetadata = z.object({ metadata: z.unknown() });
const DeliveryMetadata = z.object({ delivery_id: z.string().refine(isUuid) });
export const PhoneAgentMetadata = z.object({ phone_agent_id: z.string().refine(isUuid) });

/**
 * Returns metadata of this form, if the call carries it. We send it with the assistant; platforms like Vapi store it with
 * the call itself.
 */
export const metadataOf = <Form extends z.ZodType>(call: VapiCall, form: Form): z.infer<Form> | undefined =>
  [call, call.assistant, call.assistantOverrides]
    .map((part) => form.safeParse(WithMetadata.safeParse(part).data?.metadata).data)
    .find((metadata) => metadata !== undefined);

/** Returns our own id, if the call carries it. */
export const deliveryIdOf = (call: VapiCall): string | undefined => metadataOf(call, DeliveryMetadata)?.delivery_id;

/** Endings of answered calls: by either side, by their own limits, or at or after a transfer. */
const ANSWERED_ENDINGS = [
  /^customer-ended-call/,
  /^assistant-(ended-call|said-end-call-phrase|forwarded-call|request-returned-forwarding-phone-number)/,
  /^(exceeded-max-duration|silence-timed-out|vonage-completed)$/,
  /^call\.in-progress\.(twilio|sip)-completed-call$/,
  /^call\.in-progress\.error-(transfer-failed|warm-transfer-)/,
  /^call\.(forwarding|ending)\./,
];

/**
 * Whether the assistant spoke with the customer. False if nobody answered, if anything failed before or during the
 * call, and if a machine answered: the assistant has no message for it and hangs up. Any reason added by Vapi later
 * counts as a failure.
 */
export const wasAnswered = (endedReason: string): boolean =>
  ANSWERED_ENDINGS.some((pattern) => pattern.test(endedReason));

/** Endings of calls that went to a person: by the assistant, or by our answer in place of one. */
const FORWARDED_ENDINGS = /^assistant-(forwarded-call|request-returned-forwarding-phone-number)/;

/** Whether the call went to a person. */
export const wasForwarded = (endedReason: string): boolean => FORWARDED_ENDINGS.test(endedReason);

/** Endings of answered calls that were to go to a person, and did not. */
const LOST_TRANSFER_ENDINGS = [
  /^customer-ended-call-(before-warm-transfer|after-warm-transfer|during-transfer)/,
  /^call\.in-progress\.error-(transfer-failed|warm-transfer-)/,
  /^call\.forwarding\./,
];

/** Whether the assistant spoke with the customer, who asked for a person in vain. */
export const wasTransferLost = (endedReason: string): boolean =>
  LOST_TRANSFER_ENDINGS.some((pattern) => pattern.test(endedReason));
