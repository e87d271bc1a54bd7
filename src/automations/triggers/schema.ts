import { z } from 'zod';
import { Contact } from '../../contacts/schema.ts';
import { HandoffAnswer, Session } from '../../conversations/sessions/schema.ts';
import { Score } from '../../csat/schema.ts';
import { Id } from '../../schemas/parts.ts';
import { Sequence } from '../../sequences/schema.ts';
import { SlaPolicy } from '../../sla/policies/schema.ts';
import type { TriggerType } from '../blocks/schema.ts';
import {
  AiConfiguration,
  CronConfiguration,
  FormConfiguration,
  InactiveConfiguration,
  WebhookConfiguration,
} from './configuration.schema.ts';

const JsonValue = z.unknown().describe('Any JSON.');
const JsonObject = z.record(z.string(), z.unknown());
const DateTime = z.iso.datetime();
/** Sessions of anonymous visitors have no contact. */
const sessionFields = { session: Session, contact: Contact.nullable() };
const Assignment = z.object({ assignee_id: z.int().nullable(), team_id: Id.nullable() });
/** Calls made by a sequence have no session. */
const callFields = {
  session: Session.nullable(),
  contact: Contact.nullable(),
  call: JsonObject.describe('As the voice provider reports it.'),
};
const slaFields = {
  ...sessionFields,
  policy: z.union([SlaPolicy, z.object({ id: Id })]).describe('Only the id if the policy was deleted.'),
  due_at: DateTime.nullable(),
};

export interface Trigger {
  title: string;
  /** Fields of `trigger.output` besides event_id, occurred_at and trigger_type. */
  output: z.ZodRawShape;
  /** Schema of trigger_configuration. Absent: the trigger has no configuration. */
  configuration?: z.ZodType;
  /** Set if the configuration may be omitted. */
  isConfigurable?: 'optional';
}

/** All triggers by type. */
export const TRIGGERS: { [Type in TriggerType]: Trigger } = {
  'manual-trigger': { title: 'Started by hand or by the API', output: { input: JsonValue } },
  'ai-trigger': {
    title: 'The AI calls it as a tool',
    output: { ...sessionFields, arguments: JsonObject },
    configuration: AiConfiguration,
    isConfigurable: 'optional',
  },
  'cron-trigger': { title: 'At set times', output: { scheduled_at: DateTime }, configuration: CronConfiguration },
  'form-trigger': { title: 'A form is submitted', output: { form: JsonObject }, configuration: FormConfiguration },
  webhook: {
    title: 'Its webhook is called',
    output: { body: JsonValue, headers: JsonObject, query: JsonObject },
    configuration: WebhookConfiguration,
    isConfigurable: 'optional',
  },
  'contact-created': { title: 'A contact is saved for the first time', output: { contact: Contact } },
  'phone-call-started': { title: 'A phone call starts', output: callFields },
  'phone-call-finished': { title: 'A phone call ends', output: callFields },
  'ticket-created': { title: 'A session is opened', output: sessionFields },
  'ticket-reassigned': {
    title: 'A session gets another assignee or team',
    output: { ...sessionFields, from: Assignment, to: Assignment },
  },
  'ticket-resolved': {
    title: 'A session is resolved',
    output: {
      ...sessionFields,
      session_closed_payload: JsonValue.describe('As it was given when the session was closed.'),
    },
  },
  'ticket-handoff': {
    title: 'A session was handed off',
    output: { ...sessionFields, handoff: HandoffAnswer.nullable() },
  },
  'pre-ticket-handoff': {
    title: 'A session is about to be handed off',
    output: { ...sessionFields, handoff: HandoffAnswer.nullable() },
  },
  'ticket-tag-added': { title: 'A session gets a tag', output: { ...sessionFields, tag: z.string() } },
  'ticket-inactive': {
    title: 'A session is inactive for some time',
    output: { ...sessionFields, inactive_minutes: z.int() },
    configuration: InactiveConfiguration,
  },
  'sequence-completed': {
    title: 'A contact’s last step of a sequence is done',
    output: { sequence: Sequence, contact: Contact },
  },
  'csat-score-submit': {
    title: 'A score is given',
    output: { ...sessionFields, score: Score, comment: z.string().nullable() },
  },
  'prohibited-topic-detected': {
    title: 'A message is about a prohibited topic',
    output: { ...sessionFields, message: JsonObject, topic: z.string() },
  },
  'sla-first-reply-warning': { title: '80 % of the time for the first reply have passed', output: slaFields },
  'sla-next-reply-warning': { title: '80 % of the time for a next reply have passed', output: slaFields },
  'sla-resolution-warning': { title: '80 % of the time for the resolution have passed', output: slaFields },
  'sla-first-reply-breached': { title: 'The first reply is late', output: slaFields },
  'sla-next-reply-breached': { title: 'A next reply is late', output: slaFields },
  'sla-resolution-breached': { title: 'The resolution is late', output: slaFields },
  'voice-call-transferred': { title: 'A call was passed on', output: callFields },
  'pre-voice-call-transfer': { title: 'A call is about to be passed on', output: callFields },
};

/** Returns the schema of `trigger.output` for a trigger type. */
export const triggerOutputSchema = (type: TriggerType) =>
  z.object({ event_id: z.string(), occurred_at: DateTime, trigger_type: z.literal(type), ...TRIGGERS[type].output });
