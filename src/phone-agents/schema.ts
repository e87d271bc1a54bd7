import { z } from 'zod';
import { PhoneNumber } from '../contacts/phone-number.schema.ts';
import { Id, Language, Name, Timestamp } from '../schemas/parts.ts';

const DEFAULT_FIRST_MESSAGE = 'Hello?';
const MAX_IDS = 100;
/** Ids of this system have 36 characters. */
const MAX_ID_LENGTH = 64;

const PhoneAgentType = z
  .enum(['inbound', 'outbound'])
  .describe('inbound: it takes the calls to its numbers, see GET /phone/numbers. outbound: it makes calls.');
const Ids = z.array(z.string().min(1).max(MAX_ID_LENGTH)).max(MAX_IDS);

const fields = {
  model: z
    .string()
    .min(1)
    .max(100)
    .nullable()
    .describe('The model that speaks: an id of GET /phone/models. null: the default one.'),
  voice_id: z.string().min(1).max(100).nullable().describe('An id of GET /phone/voices. null: the default voice.'),
  language: Language.nullable().describe('null: that of the voice platform.'),
  first_message: z
    .string()
    .min(1)
    .max(1000)
    .nullable()
    .transform((text) => text ?? DEFAULT_FIRST_MESSAGE)
    .describe(`What it says first. null: \`${DEFAULT_FIRST_MESSAGE}\``),
  instructions: Ids.nullable().describe('Ids of training items. Calls follow them, in this order, but for drafts.'),
  handoff_phone_number: PhoneNumber.nullable().describe(
    'Where calls are transferred to when the other side asks for a person, in international format. Stored as E.164.',
  ),
  use_org_knowledgebase: z
    .boolean()
    .nullable()
    .transform((isUsed) => isUsed ?? false)
    .describe('Whether it searches all that the org knows during a call. null: false'),
  actionIds: Ids.nullable().describe(
    'Ids of the actions that it can take, whatever channels they are enabled on. What changes something is done once the other side has said yes.',
  ),
};

export const CreatePhoneAgent = z
  .object({
    name: Name,
    type: PhoneAgentType.default('inbound'),
    model: fields.model.default(null),
    voice_id: fields.voice_id.default(null),
    language: fields.language.default(null),
    first_message: fields.first_message.prefault(DEFAULT_FIRST_MESSAGE),
    instructions: fields.instructions.default(null),
    handoff_phone_number: fields.handoff_phone_number.prefault(null),
    use_org_knowledgebase: fields.use_org_knowledgebase.prefault(false),
    actionIds: fields.actionIds.default(null),
  })
  .meta({
    id: 'CreatePhoneAgent',
    examples: [
      {
        name: 'Reminders',
        type: 'outbound',
        voice_id: 'Clara',
        language: 'en',
        first_message: 'Good day, it is Acme.',
      },
      { name: 'Reception', handoff_phone_number: '+442079460958', use_org_knowledgebase: true },
    ],
  });
export type CreatePhoneAgent = z.infer<typeof CreatePhoneAgent>;

/** Absent fields stay unchanged; null resets a field to its default. */
export const UpdatePhoneAgent = z
  .object({ name: Name, type: PhoneAgentType, ...fields })
  .partial()
  .meta({ id: 'UpdatePhoneAgent', examples: [{ name: 'Front desk', voice_id: null }] });
export type UpdatePhoneAgent = z.infer<typeof UpdatePhoneAgent>;

export const PhoneAgentPath = z.object({ id: Id });

export const PhoneAgent = z
  .object({
    id: Id,
    name: z.string(),
    type: PhoneAgentType,
    model: z.string().nullable(),
    voice_id: z.string().nullable(),
    language: z.string().nullable(),
    first_message: z.string(),
    instructions: z.array(z.string()).nullable(),
    handoff_phone_number: z.string().nullable(),
    use_org_knowledgebase: z.boolean(),
    actionIds: z.array(z.string()).nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    warnings: z
      .array(z.string())
      .describe('What of it has no effect in calls, or may have none, and why. Empty: nothing.'),
  })
  .meta({ id: 'PhoneAgent' });
