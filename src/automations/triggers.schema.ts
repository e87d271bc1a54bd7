import { z } from 'zod';
import { Contact } from '../contacts/schema.ts';
import { HandoffAnswer, Session } from '../conversations/sessions.schema.ts';
import { Score } from '../desk/csat.schema.ts';
import { SlaPolicy } from '../desk/sla-policies.schema.ts';
import { Id } from '../http/schemas.ts';
import { Sequence } from '../sequences/schema.ts';
import type { TriggerType } from './blocks.schema.ts';
import {
  CronConfiguration,
  FormConfiguration,
  InactiveConfiguration,
  WebhookConfiguration,
} from './trigger-configuration.schema.ts';

const Any = z.unknown().describe('Any JSON.');
const Texts = z.record(z.string(), z.unknown());
const Time = z.iso.datetime();
/** A session of nobody has no contact. */
const ofSession = { session: Session, contact: Contact.nullable() };
const Assignment = z.object({ assignee_id: z.int().nullable(), team_id: Id.nullable() });
/** A call of a sequence is in no session. */
const ofCall = {
  session: Session.nullable(),
  contact: Contact.nullable(),
  call: Texts.describe('As the voice provider reports it.'),
};
const breach = {
  ...ofSession,
  policy: z.union([SlaPolicy, z.object({ id: Id })]).describe('Of one that is gone, the id alone.'),
  due_at: Time.nullable(),
};

export interface Trigger {
  title: string;
  /** What `trigger.output` has beside event_id, occurred_at and trigger_type. */
  output: z.ZodRawShape;
  /** What trigger_configuration must be. Absent: nothing is configured. */
  configuration?: z.ZodType;
  /** Whether it may be left out. */
  isConfigurable?: 'optional';
}

/** What starts workflows, by type. */
export const TRIGGERS: { [Type in TriggerType]: Trigger } = {
  'manual-trigger': { title: 'Started by hand or by the API', output: { input: Any } },
  'ai-trigger': { title: 'The AI calls it as a tool', output: { ...ofSession, arguments: Texts } },
  'cron-trigger': { title: 'At set times', output: { scheduled_at: Time }, configuration: CronConfiguration },
  'form-trigger': { title: 'A form is submitted', output: { form: Texts }, configuration: FormConfiguration },
  webhook: {
    title: 'Its webhook is called',
    output: { body: Any, headers: Texts, query: Texts },
    configuration: WebhookConfiguration,
    isConfigurable: 'optional',
  },
  'contact-created': { title: 'A contact is saved for the first time', output: { contact: Contact } },
  'phone-call-started': { title: 'A phone call starts', output: ofCall },
  'phone-call-finished': { title: 'A phone call ends', output: ofCall },
  'ticket-created': { title: 'A session is opened', output: ofSession },
  'ticket-reassigned': {
    title: 'A session gets another assignee or team',
    output: { ...ofSession, from: Assignment, to: Assignment },
  },
  'ticket-resolved': {
    title: 'A session is resolved',
    output: { ...ofSession, session_closed_payload: Any.describe('As it was given when the session was closed.') },
  },
  'ticket-handoff': { title: 'A session was handed off', output: { ...ofSession, handoff: HandoffAnswer.nullable() } },
  'pre-ticket-handoff': {
    title: 'A session is about to be handed off',
    output: { ...ofSession, handoff: HandoffAnswer.nullable() },
  },
  'ticket-tag-added': { title: 'A session gets a tag', output: { ...ofSession, tag: z.string() } },
  'ticket-inactive': {
    title: 'Nobody has said anything in a session for some time',
    output: { ...ofSession, inactive_minutes: z.int() },
    configuration: InactiveConfiguration,
  },
  'sequence-completed': {
    title: 'A contact’s last step of a sequence is done',
    output: { sequence: Sequence, contact: Contact },
  },
  'csat-score-submit': {
    title: 'A score is given',
    output: { ...ofSession, score: Score, comment: z.string().nullable() },
  },
  'prohibited-topic-detected': {
    title: 'A message is about a prohibited topic',
    output: { ...ofSession, message: Texts, topic: z.string() },
  },
  'sla-first-reply-breached': { title: 'The first reply is late', output: breach },
  'sla-next-reply-breached': { title: 'A next reply is late', output: breach },
  'sla-resolution-breached': { title: 'The resolution is late', output: breach },
  'voice-call-transferred': { title: 'A call was passed on', output: ofCall },
  'pre-voice-call-transfer': { title: 'A call is about to be passed on', output: ofCall },
};

/** `trigger.output` of a type. */
export const outputOf = (type: TriggerType) =>
  z.object({ event_id: z.string(), occurred_at: Time, trigger_type: z.literal(type), ...TRIGGERS[type].output });
