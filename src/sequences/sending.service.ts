import { blockedEmail } from '../contacts/blocklist.service.ts';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Channel } from '../deliveries/contract.ts';
import type { Sending } from '../deliveries/sending.ts';
import type { UnsubscribeLinks } from '../deliveries/unsubscribe.ts';
import type { StepAction } from './actions.schema.ts';
import {
  completeBehindLastStep,
  type DueEnrollment,
  endCanceledRuns,
  findNextDue,
  hasActiveEnrollments,
  listDue,
} from './due.queries.ts';
import { findOpenRun } from './enrollments.queries.ts';
import { findSequence, moveSequence, type SequenceRow } from './queries.ts';
import { type Move, movesOf } from './rules.ts';
import {
  beginDeliveries,
  cancelWaitingDeliveries,
  dropStrandedDeliveries,
  passStep,
  type StepSend,
  settleInterrupted,
} from './sending.queries.ts';
import { listAllSteps, type SequenceStep } from './steps.queries.ts';
import type { SendRule } from './verdict.queries.ts';

const CHANNEL_OF: Record<StepAction['type'], Channel> = {
  send_emails: 'email',
  make_phone_calls: 'voice',
  send_sms_messages: 'sms',
  send_whatsapp_messages: 'whatsapp',
};

/** The sends of one step that are due together. */
export interface DueStep {
  send: StepSend;
  action: StepAction;
  /** The step's place among the present ones, for people: "2 of 3". */
  label: string;
  enrollmentIds: string[];
}

export interface SequenceBatch {
  sequence: SequenceRow;
  moves: Move<SequenceStep>[];
  steps: DueStep[];
  interrupted: number;
}

/**
 * Puts a sequence in order before a batch (settles what an attempt that died had under way, ends what was canceled) and gives what is due,
 * at most `limit`. Undefined when the sequence has ended.
 */
export async function takeBatch(
  db: Db,
  orgId: string,
  sequenceId: string,
  options: { lease: string; limit: number; isEmailConfigured: boolean },
): Promise<SequenceBatch | undefined> {
  const sequence = await findSequence(db, orgId, sequenceId);
  const allSteps = await listAllSteps(db, orgId, sequenceId);
  const moves = movesOf(allSteps);
  const interrupted = await settleInterrupted(db, orgId, sequenceId, options.lease);
  if (sequence === undefined || sequence.status === 'canceled') await cancelWaitingDeliveries(db, orgId, sequenceId);
  if (sequence === undefined || sequence.status === 'canceled' || sequence.status === 'complete') return undefined;
  await endCanceledRuns(db, orgId, sequenceId);
  await dropStrandedDeliveries(db, orgId, sequenceId);
  await completeBehindLastStep(db, orgId, sequenceId, moves);
  if (sequence.status !== 'active') return { sequence, moves, steps: [], interrupted };

  const due = Map.groupBy(await listDue(db, orgId, sequenceId, moves, options.limit), ({ step_id }) => step_id);
  const present = allSteps.filter((step) => !step.is_deleted);
  const steps = present.flatMap((step, index) => {
    const enrollments = due.get(step.id) ?? [];
    if (enrollments.length === 0) return [];
    const label = `${index + 1} of ${present.length}`;
    return [dueStep(orgId, sequenceId, step, label, enrollments, options)];
  });
  return { sequence, moves, steps, interrupted };
}

function dueStep(
  orgId: string,
  sequenceId: string,
  { id, action }: SequenceStep,
  label: string,
  enrollments: DueEnrollment[],
  { lease, isEmailConfigured }: { lease: string; isEmailConfigured: boolean },
): DueStep {
  return {
    send: { ...ruleOf(orgId, action, isEmailConfigured), sequenceId, stepId: id, lease },
    action,
    label,
    enrollmentIds: enrollments.map((enrollment) => enrollment.id),
  };
}

/** What of a step's action decides who gets it. */
export function ruleOf(orgId: string, action: StepAction, isEmailConfigured: boolean): SendRule {
  const channel = CHANNEL_OF[action.type];
  return {
    channel,
    isTransactional: action.type === 'send_emails' && action.data.email_is_transactional,
    obstacle: channel === 'email' && isEmailConfigured ? null : 'channel not configured',
    isBlocked: blockedEmail(orgId, 'contact.email'),
  };
}

/** What a chunk came to before anything was sent. */
export interface BegunChunk {
  sendings: Sending[];
  skipped: number;
  failed: number;
}

/** Writes down that a chunk is being sent, passes those that are not to be sent, and gives the messages of the others. */
export async function beginChunk(
  db: Db,
  orgId: string,
  { send, action }: Pick<DueStep, 'send' | 'action'>,
  links: UnsubscribeLinks,
  enrollmentIds: string[],
): Promise<BegunChunk> {
  return inTransaction(db, async (trx) => {
    const { begun, settled } = await beginDeliveries(trx, orgId, send, enrollmentIds);
    const toSend = begun.filter(({ status }) => status === 'sending');
    const others = begun.filter(({ status }) => status !== 'sending');
    await passStep(trx, orgId, send, [...settled, ...others.map(({ enrollment_id }) => enrollment_id)]);
    const failed = others.filter(({ status }) => status === 'failed').length;
    return {
      sendings: action.type === 'send_emails' ? toSend.map((row) => emailOf(orgId, action.data, links, row)) : [],
      skipped: others.length - failed,
      failed,
    };
  });
}

function emailOf(
  orgId: string,
  data: Extract<StepAction, { type: 'send_emails' }>['data'],
  links: UnsubscribeLinks,
  { id, to, attempts }: { id: string; to: string; attempts: number },
): Sending {
  return {
    deliveryId: id,
    attempts,
    message: {
      deliveryId: id,
      from: { name: data.email_sender_name, address: data.from_email },
      to,
      subject: data.email_subject,
      body: data.email_body,
      unsubscribeUrl: data.email_is_transactional ? undefined : links.urlOf({ orgId, deliveryId: id }),
    },
  };
}

/** When the sequence has more to do, ending a one-off one that has none left. */
export async function lookAhead(
  db: Db,
  orgId: string,
  { sequence, moves }: SequenceBatch,
): Promise<{ state: 'active' | 'paused' | 'ended'; nextDueInMs: number | null }> {
  const nextDueInMs = await findNextDue(db, orgId, sequence.id, moves);
  const current = await findSequence(db, orgId, sequence.id);
  if (current === undefined || current.status === 'canceled') {
    await cancelWaitingDeliveries(db, orgId, sequence.id); // a send of this very batch may have been put off
    return { state: 'ended', nextDueInMs: null };
  }
  if (current.status === 'paused') return { state: 'paused', nextDueInMs: null };
  if (nextDueInMs === null && !current.is_continuous && (await endOneOff(db, orgId, sequence.id))) {
    return { state: 'ended', nextDueInMs: null };
  }
  return { state: 'active', nextDueInMs };
}

/** A one-off sequence is complete once all its contacts are enrolled and none of them waits. */
function endOneOff(db: Db, orgId: string, sequenceId: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if ((await findOpenRun(trx, orgId, sequenceId)) !== undefined) return false;
    if (await hasActiveEnrollments(trx, orgId, sequenceId)) return false;
    return moveSequence(trx, orgId, sequenceId, ['active'], { status: 'complete', ended_at: new Date() });
  });
}

/** Pauses a sequence whose sender cannot send at all until somebody mends its settings. */
export async function pauseForSettings(db: Db, orgId: string, sequenceId: string, reason: string): Promise<void> {
  const changes = { status: 'paused', paused_at: new Date(), paused_reason: reason } as const;
  await moveSequence(db, orgId, sequenceId, ['active'], changes);
}
