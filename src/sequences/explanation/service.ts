import { isContactBlocked } from '../../contacts/blocklist/service.ts';
import { compileFilter } from '../../contacts/filters/service.ts';
import { findContactBy } from '../../contacts/service.ts';
import type { Db } from '../../db/connect.ts';
import { describeDelivery } from '../../deliveries/ledger/service.ts';
import { type ChannelDefaults, listChannels } from '../../deliveries/sending/channels.service.ts';
import { NOT_CONNECTED_REASON } from '../../deliveries/sending/message-sender.ts';
import { findStuckCommand } from '../../outbox/pending.queries.ts';
import { RUN_SEQUENCE } from '../contract.ts';
import type { SequenceRow } from '../definitions/shared.queries.ts';
import { explainEnrollment } from '../enrollment/explanation.service.ts';
import { filterContacts, findEnrollmentOf, findOpenRun } from '../enrollment/shared.queries.ts';
import { getSendingPolicy, sendRuleOf } from '../sending/policy.service.ts';
import { CHANNEL_OF } from '../steps/content.rules.ts';
import { listAllSteps } from '../steps/shared.queries.ts';
import { findEligibility } from './queries.ts';
import { answerOf, checksOf, type Facts, sayStep } from './rules.ts';
import type { ExplainQuery } from './schema.ts';

type Enrollment = Awaited<ReturnType<typeof explainEnrollment>>;

const UNKNOWN = 'The org has no contact with this id or address';

/** Explains what a contact has got of a sequence, and why not the rest. Nothing is changed. */
export async function explainContact(
  db: Db,
  orgId: string,
  sequence: SequenceRow,
  { defaults, ...query }: ExplainQuery & { defaults: ChannelDefaults },
) {
  const contact = await findContactBy(db, orgId, query);
  if (contact === undefined) {
    const check = { check: 'contact', state: 'stops', says: UNKNOWN, at: null } as const;
    return {
      contact: null,
      verdict: 'unknown_contact' as const,
      summary: UNKNOWN,
      at: null,
      checks: [check],
      steps: [],
      enrollment: null,
    };
  }
  const enrollmentId = await findEnrollmentOf(db, orgId, sequence.id, contact.id);
  const enrollment =
    enrollmentId === undefined ? undefined : await explainEnrollment(db, orgId, sequence.id, enrollmentId);
  const facts = await factsOf(db, orgId, sequence, { contactId: contact.id, enrollment, defaults });
  const checks = checksOf(facts);
  const said = (enrollment?.steps ?? []).map(sayStep);
  const { id, name, email, phone_number } = contact;
  const known = { check: 'contact', state: 'ok', says: 'The contact exists', at: contact.created_at } as const;
  return {
    contact: { id, name, email, phone_number },
    ...answerOf(facts, checks, said),
    checks: [known, ...checks],
    steps: said.map(({ outcome: _, ...step }) => step),
    enrollment: enrollment ?? null,
  };
}

interface Subject {
  contactId: string;
  enrollment: Enrollment | undefined;
  defaults: ChannelDefaults;
}

async function factsOf(db: Db, orgId: string, sequence: SequenceRow, subject: Subject): Promise<Facts> {
  const { contactId, enrollment } = subject;
  const condition = await compileFilter(db, orgId, sequence.filter);
  const [matching, openRun, isBlocked, eligibility, latest, command] = await Promise.all([
    filterContacts(db, orgId, [contactId], condition),
    findOpenRun(db, orgId, sequence.id),
    isContactBlocked(db, orgId, contactId),
    eligibilityOfNext(db, orgId, sequence, subject),
    latestDelivery(db, orgId, enrollment),
    findStuckCommand(db, RUN_SEQUENCE.workflowId({ orgId, sequenceId: sequence.id })),
  ]);
  const waiting = enrollment?.steps.find(({ status }) => status === 'waiting');
  const held = waiting?.delivery == null ? undefined : await describeDelivery(db, orgId, waiting.delivery.id);
  return {
    sequence,
    isMatching: matching.length > 0,
    isEnrolling: openRun !== undefined,
    enrollment,
    isBlocked,
    eligibility,
    deferral:
      held === undefined || waiting?.due_at == null
        ? undefined
        : { gate: held.gate, reason: held.reason, until: waiting.due_at },
    latest,
    command,
  };
}

/** Returns whether the next step would be sent now. Of a contact who is not enrolled, that is the first one. */
async function eligibilityOfNext(
  db: Db,
  orgId: string,
  sequence: SequenceRow,
  { contactId, enrollment, defaults }: Subject,
) {
  const present = (await listAllSteps(db, orgId, sequence.id)).filter((step) => !step.is_deleted);
  const nextId = enrollment?.steps.find(({ status }) => status === 'next' || status === 'waiting')?.id;
  const step = enrollment === undefined ? present[0] : present.find(({ id }) => id === nextId);
  if (step === undefined) return undefined;
  const channels = await listChannels(db, orgId, defaults);
  const missingSenderReason = channels.has(CHANNEL_OF[step.action.type]) ? null : NOT_CONNECTED_REASON;
  const rule = sendRuleOf(orgId, step.action, await getSendingPolicy(db, orgId, sequence), missingSenderReason);
  return findEligibility(db, orgId, { contactId, enrollmentId: enrollment?.id ?? null, rule });
}

async function latestDelivery(db: Db, orgId: string, enrollment: Enrollment | undefined): Promise<Facts['latest']> {
  const step = enrollment?.steps.findLast(({ delivery }) => delivery !== null);
  if (step?.delivery == null) return undefined;
  const { status, answers, callbacks, updated_at } = await describeDelivery(db, orgId, step.delivery.id);
  const reported = callbacks.at(-1)?.reason;
  return { index: step.index, status, answer: reported ?? answers.at(-1)?.answer ?? null, updated_at };
}
