import { z } from 'zod';
import { FullFilter } from '../contacts/filters/schema.ts';
import { ContactRef } from '../contacts/schema.ts';
import { DeliveryState } from '../deliveries/ledger/schema.ts';
import { Cursor, Id, Order, ReasonGroup, storedAs, Timestamp } from '../schemas/parts.ts';
import { Gates } from './gates/schema.ts';
import { SequenceFigures } from './stats/schema.ts';
import { StepAction } from './steps/actions.schema.ts';

const TEN_YEARS_IN_MINUTES = 5_256_000;
const MAX_STEPS = 100;

const Name = z.string().min(1).max(255);
const CustomId = z.string().min(1).max(255);
const DelayInMinutes = z
  .number()
  .min(0)
  .max(TEN_YEARS_IN_MINUTES)
  .describe("From the previous step's send; the first from enrollment.");

const NewStep = z
  .object({ action: StepAction, delay_in_minutes: DelayInMinutes.default(0) })
  .meta({ id: 'SequenceStepFields' });
const ChangedStep = z
  .object({
    action: StepAction,
    delay_in_minutes: DelayInMinutes.optional().describe('Absent: as it is, or 0 in a new step.'),
    id: Id.optional().describe('Keeps the step that has this id. Absent: keeps one with the same content.'),
  })
  .meta({ id: 'ChangedSequenceStep' });
export type ChangedStep = z.infer<typeof ChangedStep>;

export const CreateSequence = z
  .object({
    name: Name.default('New Sequence'),
    custom_id: CustomId.optional(),
    is_continuous: z
      .boolean()
      .default(true)
      .describe(
        'true: active at once, and enrolls contacts that are created, or begin to match the filter, from now on. Contacts who match ' +
          'already are enrolled only with enroll_existing or POST /sequences/{id}/contacts. false: enrolls all matching contacts when it is started.',
      ),
    enroll_existing: z
      .boolean()
      .default(false)
      .describe('Also enrolls the contacts who match a continuous sequence already.'),
    filter: FullFilter.nullable().describe('Who is enrolled. null is all contacts.'),
    steps: z.array(NewStep).min(1).max(MAX_STEPS),
    gates: Gates.optional(),
  })
  .meta({
    id: 'CreateSequence',
    examples: [
      {
        name: 'Welcome',
        filter: { or: [{ and: [{ type: 'contacts_email_domain_name_in', domain_name_in: ['example.com'] }] }] },
        steps: [
          {
            delay_in_minutes: 0,
            action: {
              type: 'send_emails',
              data: {
                from_email: 'hello@example.org',
                email_sender_name: 'Acme',
                email_subject: 'Welcome',
                email_body: 'Good to have you here.',
                email_is_transactional: false,
              },
            },
          },
        ],
      },
    ],
  });
export type CreateSequence = z.infer<typeof CreateSequence>;

export const UpdateSequence = z
  .object({
    name: Name,
    custom_id: CustomId.nullable(),
    filter: FullFilter.nullable(),
    steps: z
      .array(ChangedStep)
      .min(1)
      .max(MAX_STEPS)
      .describe('Replaces all steps. Active enrollments continue with the steps not yet reached.'),
    gates: Gates.describe(
      "Only the given gates change. null removes the sequence's own: the org's counts, if there is one.",
    ),
    preview: z.boolean().describe('Changes nothing, and returns the effect of the change on active enrollments.'),
  })
  .partial()
  .meta({ id: 'UpdateSequence', examples: [{ name: 'Welcome, new customers' }] });
export type UpdateSequence = z.infer<typeof UpdateSequence>;

export const SequenceParams = z.object({
  id: z.string().min(1).max(255).describe("The sequence's id or custom_id."),
});

const SequenceStatus = z.enum(['pending', 'active', 'paused', 'complete', 'canceled']);

export const Sequence = z
  .object({
    id: Id,
    name: z.string(),
    org_id: Id,
    custom_id: z.string().nullable(),
    filter: storedAs(FullFilter).nullable(),
    steps: z.array(z.object({ id: Id, action: storedAs(StepAction), delay_in_minutes: z.number() })),
    gates: Gates,
    is_continuous: z.boolean(),
    started_at: Timestamp.nullable(),
    canceled_at: Timestamp.nullable(),
    ended_at: Timestamp.nullable(),
    paused_at: Timestamp.nullable(),
    paused_reason: z.string().nullable().describe('Why it paused itself; null when somebody paused it.'),
    status: SequenceStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
    stats: SequenceFigures.optional().describe('Only in a list with `include=stats`.'),
  })
  .meta({ id: 'Sequence' });

const Audience = z
  .object({
    matching: z.int().describe('Contacts who match the filter now. At most 10,000 are counted.'),
    is_at_least: z.boolean().describe('There are more than were counted.'),
    enrolled: z.int().describe('Those of them who are or were enrolled.'),
    left_out: z.int().describe('Those of them who are not.'),
    reason: z.string().nullable().describe('Why, and how to enroll them.'),
  })
  .meta({ id: 'SequenceAudience' });

export const CreatedSequence = z.object({ id: Id, audience: Audience });

const Limit = z.coerce.number().int().min(1).max(100).default(50);

export const ListSequences = z.object({
  cursor: Cursor.optional(),
  limit: Limit,
  status: SequenceStatus.optional(),
  q: z.string().trim().min(1).max(200).optional().describe('In the name.'),
  order: Order,
  include: z.literal('stats').optional().describe('How far each sequence is.'),
});
export type ListSequences = z.infer<typeof ListSequences>;
export const SequenceList = z.object({ items: z.array(Sequence), next: z.string().nullable() });

export const AddContacts = z
  .object({ contacts: z.array(ContactRef).min(1).max(10_000) })
  .meta({ id: 'AddContactsToSequence', examples: [{ contacts: [{ email: 'ada@example.com' }] }] });

/** A contact as named by the request, with e-mail in lower case and phone number in E.164. */
const NamedContact = z.union([
  z.object({ id: Id }),
  z.object({ email: z.string() }),
  z.object({ phone_number: z.string() }),
]);

export const AddContactsAnswer = z.object({
  run_id: Id,
  enrolled: z.int(),
  skipped: z.array(z.object({ contact: NamedContact, reason: z.string() })),
});
export type AddContactsAnswer = z.infer<typeof AddContactsAnswer>;

export const SequenceStats = z
  .object({
    steps: z.array(
      z.object({
        id: Id,
        index: z.int(),
        due: z.int().describe('Enrollments whose next step this is.'),
        sent: z.int(),
        delivered: z.int(),
        failed: z.int(),
        skipped: z.int(),
        unknown: z.int(),
      }),
    ),
    enrollments: z.object({ active: z.int(), complete: z.int(), canceled: z.int(), exited: z.int() }),
    held: z
      .array(z.object({ gate: z.string(), count: z.int() }))
      .describe('How many messages each gate holds now. At most 10,000 are counted.'),
    audience: Audience,
  })
  .meta({ id: 'SequenceStats' });

const StepForecast = z.object({
  index: z.int(),
  at: Timestamp.nullable().describe('When the first one goes out; null when nobody gets the step.'),
  last_at: Timestamp.nullable().describe('When the last one goes out.'),
  recipients: z.int(),
  held: z
    .array(z.object({ gate: z.string(), count: z.int() }))
    .describe('How many of the recipients wait for a gate before they get it.'),
  skipped: z.array(z.object({ reason: z.string(), count: z.int() })),
  hours: z
    .array(z.object({ at: Timestamp, recipients: z.int() }))
    .optional()
    .describe('How many of the recipients get it in which hour of the next 7 days.'),
});

export const SequenceForecast = z
  .object({ steps: z.array(StepForecast), audience: Audience })
  .meta({ id: 'SequenceForecast' });

export const ForecastParams = SequenceParams.extend({ forecastId: Id });

/** A forecast that a workflow computes. */
export const ForecastJob = z
  .object({
    id: Id,
    sequence_id: Id,
    state: z.enum(['in_progress', 'done', 'failed']),
    progress: z.object({ contacts_done: z.int(), contacts: z.int() }),
    steps: z.array(StepForecast).nullable().describe('null until it is done.'),
    audience: Audience.nullable().describe('null until it is done.'),
    error: z.string().nullable(),
    created_at: Timestamp.describe('The forecast is as of then.'),
    ended_at: Timestamp.nullable(),
  })
  .meta({
    id: 'SequenceForecastJob',
    examples: [
      {
        id: '01900000-0000-7000-8000-000000000001',
        sequence_id: '01900000-0000-7000-8000-000000000002',
        state: 'in_progress',
        progress: { contacts_done: 40_000, contacts: 200_000 },
        steps: null,
        audience: null,
        error: null,
        created_at: '2026-01-01T09:00:00.000Z',
        ended_at: null,
      },
    ],
  });

/** The effect of a change of the steps on active enrollments. */
export const ChangePreview = z
  .object({
    steps: z.array(
      z.object({
        id: Id.nullable().describe('Null for a new step.'),
        index: z.int().nullable().describe('Its position after the change; null for a removed step.'),
        change: z.enum(['added', 'changed', 'moved', 'kept', 'removed']),
        before: z.int().describe('Enrollments that will reach it.'),
        at: z.int().describe('Those of them whose next step it is.'),
        after: z.int().describe('Enrollments past it, which will not reach it.'),
        effect: z.string().describe('What happens to them, in a sentence.'),
      }),
    ),
  })
  .meta({ id: 'SequenceChangePreview' });
export type ChangePreview = z.infer<typeof ChangePreview>;

export const TestSequence = z
  .object({
    to: z.string().min(1).max(254).describe('An e-mail address, or a phone number for the other channels.'),
    contact_id: Id.optional().describe('The contact in the templates. Without one, they show their fallbacks.'),
  })
  .meta({ id: 'TestSequence', examples: [{ to: 'me@example.com' }] });
export type TestSequence = z.infer<typeof TestSequence>;

export const TestSequenceAnswer = z.object({
  data: z.array(
    z.object({
      id: Id.describe("The delivery's: GET /deliveries/{id}."),
      step_id: Id,
      index: z.int(),
      channel: z.string(),
      to: z.string(),
      status: z.string(),
    }),
  ),
});

const EnrollmentStatus = z.enum(['active', 'complete', 'canceled', 'exited']);
export type EnrollmentStatus = z.infer<typeof EnrollmentStatus>;

export const ListEnrollments = z.object({
  cursor: Cursor.optional(),
  limit: Limit,
  status: EnrollmentStatus.optional(),
  contact_id: Id.optional().describe('Only the enrollment of this contact.'),
  step_id: Id.optional().describe('Active ones that get this step next.'),
  exit_reason: ReasonGroup.optional(),
  held: z.literal('true').optional().describe('Active ones that are deferred, in the order of `held_until`.'),
});
export type ListEnrollments = z.infer<typeof ListEnrollments>;

const Enrollment = z
  .object({
    id: Id,
    contact_id: Id,
    contact: z.object({ name: z.string().nullable(), email: z.string().nullable() }),
    run_id: Id.nullable(),
    status: EnrollmentStatus,
    last_step_id: Id.nullable(),
    held_until: Timestamp.nullable(),
    exit_reason: z.string().nullable().describe('Why it ended before its last step.'),
    created_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: 'Enrollment' });

export const EnrollmentList = z.object({ items: z.array(Enrollment), next: z.string().nullable() });

export const EnrollmentParams = SequenceParams.extend({ enrollmentId: Id });

export const ExplainedEnrollment = Enrollment.extend({
  steps: z.array(
    z.object({
      id: Id,
      index: z.int().nullable().describe('Its position among the present steps; null for a deleted one.'),
      action_type: z.enum(['send_emails', 'make_phone_calls', 'send_sms_messages', 'send_whatsapp_messages']),
      is_deleted: z.boolean().describe('Deleted steps are listed only if they have a delivery.'),
      status: z
        .enum(['done', 'sending', 'waiting', 'next', 'not_reached', 'passed', 'canceled'])
        .describe(
          'done: it has an outcome, given by delivery. sending: under way. waiting: deferred, to be tried again at due_at. next: to be sent at due_at. not_reached: due after the step before it is sent. passed: left out, as it was deleted, or added before the position of the enrollment. canceled: the enrollment was canceled or exited before it.',
        ),
      delivery: z
        .object({
          id: Id,
          status: DeliveryState,
          reason: z.string().nullable(),
          attempts: z.int(),
          sent_at: Timestamp.nullable(),
        })
        .nullable(),
      due_at: Timestamp.nullable().describe('When it may be sent, if the sequence is not paused then.'),
    }),
  ),
}).meta({ id: 'ExplainedEnrollment' });
