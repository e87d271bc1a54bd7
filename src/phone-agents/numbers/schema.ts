import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';

/** An id of the voice platform. */
const PlatformId = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\x21-\x7e]+$/, 'must be an id of the voice platform');

export const PhoneNumberPath = z.object({ id: PlatformId });

export const BindPhoneNumber = z
  .object({
    phone_agent_id: Id.nullable().describe('An inbound phone agent, which takes the calls to the number. null: none.'),
    sip_trunk_id: PlatformId.nullish().describe('An id of GET /phone/sip-trunks, for a number of your own carrier.'),
  })
  .meta({ id: 'BindPhoneNumber', examples: [{ phone_agent_id: '0197a3f2-6c1b-7c3e-9a52-3f0d5b7c1e42' }] });
export type BindPhoneNumber = z.infer<typeof BindPhoneNumber>;

export const OwnPhoneNumber = z
  .object({
    id: z.string().describe('The voice platform’s id.'),
    number: z.string().nullable().describe('E.164.'),
    sip_uri: z.string().nullable(),
    name: z.string().nullable(),
    provider: z.string().describe('Where it is from, such as `twilio`, `vapi` or `byo-phone-number`.'),
    sip_trunk_id: z.string().nullable(),
    phone_agent_id: z.string().nullable().describe('The agent that takes its calls. null: it is bound to none.'),
    is_answered_here: z
      .boolean()
      .describe(
        'Whether the platform asks this API who takes its calls. An assistant that is stored there answers otherwise.',
      ),
  })
  .meta({ id: 'OwnPhoneNumber' });
export type OwnPhoneNumber = z.infer<typeof OwnPhoneNumber>;

export const SipTrunk = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    gateways: z.array(z.string()).describe('Each as `address:port`.'),
  })
  .meta({ id: 'SipTrunk' });
