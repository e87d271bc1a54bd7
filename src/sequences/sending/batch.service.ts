import { valueAt } from '../../collections/checked-access.ts';
import { holdMerges } from '../../contacts/merging/service.ts';
import { EMPTY_CONTACT, type TemplateContact } from '../../contacts/templates/rules.ts';
import { addSequenceMessages } from '../../conversations/messages/sequence-messages.service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Channel } from '../../deliveries/contract.ts';
import type { ClaimedMessage } from '../../deliveries/sending/claims-ahead.ts';
import type { ProactiveContent } from '../../deliveries/sending/content.ts';
import type { OutgoingMessage } from '../../deliveries/sending/message-sender.ts';
import { interruptedColumns, settleAndReconcile } from '../../deliveries/sending/reconciliation.service.ts';
import { findSequence, type SequenceRow, transitionSequence } from '../definitions/shared.queries.ts';
import { findOpenRun } from '../enrollment/shared.queries.ts';
import { evaluateGates } from '../gates/service.ts';
import { cancelSequenceDeliveries, reconcileSequence } from '../reconciliation/service.ts';
import { cancelDeliveriesOfEnded } from '../reconciliation/shared.queries.ts';
import type { StepAction } from '../steps/actions.schema.ts';
import { CHANNEL_OF, type Composition } from '../steps/content.rules.ts';
import { type StepTransition, transitionsOf } from '../steps/rules.ts';
import { sentTextOf } from '../steps/sent-text.rules.ts';
import { listAllSteps, type SequenceStep } from '../steps/shared.queries.ts';
import { findNextDue, hasActiveEnrollments, listDue } from './due.queries.ts';
import {
  advancePastStep,
  type BegunDelivery,
  beginDeliveries,
  type Chunk,
  deferEnrollments,
  exitEnrollments,
  type StepSend,
  settleInterrupted,
  updateContents,
} from './queries.ts';
import { failUnsendable } from './unsendable.queries.ts';

/** The sends of one step that are due together. */
export interface DueStep {
  stepId: string;
  action: StepAction;
  /** The step's place among the present ones, for operators: "2 of 3". */
  label: string;
  /** The positions of enrollments with this step next. */
  positions: string[];
  enrollmentIds: string[];
}

export interface SequenceBatch {
  sequence: SequenceRow;
  transitions: StepTransition<SequenceStep>[];
  /** The channels of all its steps. */
  channels: Channel[];
  steps: DueStep[];
  interrupted: number;
}

/**
 * Reconciles a sequence before a batch and returns the due sends, at most `limit`. Settles the sends of an interrupted
 * attempt and ends canceled ones. Leaves out the sends of channels whose provider is away, if there are others. Returns
 * undefined when the sequence has ended.
 */
export async function prepareBatch(
  db: Db,
  orgId: string,
  sequenceId: string,
  { lease, limit, isAway }: { lease: string; limit: number; isAway: (channel: Channel) => boolean },
): Promise<SequenceBatch | undefined> {
  const sequence = await findSequence(db, orgId, sequenceId);
  const allSteps = await listAllSteps(db, orgId, sequenceId);
  const transitions = transitionsOf(allSteps);
  const interrupted = await settleAndReconcile(db, orgId, (trx) =>
    settleInterrupted(trx, orgId, { sequenceId, lease }, interruptedColumns),
  );
  if (sequence === undefined || sequence.status === 'canceled') await cancelSequenceDeliveries(db, orgId, sequenceId);
  if (sequence === undefined || sequence.status === 'canceled' || sequence.status === 'complete') return undefined;
  await reconcileSequence(db, orgId, sequence, allSteps);
  const present = allSteps.filter((step) => !step.is_deleted);
  const channels = [...new Set(present.map(({ action }) => CHANNEL_OF[action.type]))];
  if (sequence.status !== 'active') return { sequence, transitions, channels, steps: [], interrupted };
  const open = openTransitions(transitions, channels, isAway);

  const due = Map.groupBy(await listDue(db, orgId, sequenceId, { transitions: open, limit }), ({ step_id }) => step_id);
  const positionsBefore = (stepId: string) =>
    transitions.filter((move) => move.next?.id === stepId).map((move) => move.after ?? sequenceId);
  const steps = present.flatMap(({ id, action }, index) => {
    const enrollmentIds = (due.get(id) ?? []).map((enrollment) => enrollment.id);
    return enrollmentIds.length === 0
      ? []
      : [
          {
            stepId: id,
            action,
            label: `${index + 1} of ${present.length}`,
            positions: positionsBefore(id),
            enrollmentIds,
          },
        ];
  });
  return { sequence, transitions, channels, steps, interrupted };
}

/** Returns the transitions to steps that may be sent now. A sequence of one channel has no others to send meanwhile. */
const openTransitions = (
  transitions: StepTransition<SequenceStep>[],
  channels: Channel[],
  isAway: (channel: Channel) => boolean,
) =>
  channels.length === 1
    ? transitions
    : transitions.filter(({ next }) => next === null || !isAway(CHANNEL_OF[next.action.type]));

/** The result of a chunk before anything was sent. */
export interface BegunChunk {
  sendings: ClaimedMessage[];
  skipped: number;
  failed: number;
}

/**
 * Records that a chunk is being sent, and returns the messages to send. Enrollments not to be sent to now are skipped,
 * ended or deferred. Those of contacts for whom the step cannot be composed fail alone.
 */
export async function beginChunk(
  db: Db,
  orgId: string,
  send: StepSend,
  { compose, ...chunk }: Chunk & { compose: (contact: TemplateContact) => Composition },
): Promise<BegunChunk> {
  return inTransaction(db, async (trx) => {
    await holdMerges(trx, orgId);
    const evaluation = await evaluateGates(trx, orgId, send, chunk.enrollmentIds);
    const { begun, settled } = await beginDeliveries(trx, orgId, send, { ...chunk, ...evaluation });
    const { sending = [], held = [], ...ended } = Object.groupBy(begun, ({ status }) => status);
    const others = Object.values(ended).flat();
    const [leaving, passing] = partition(others, ({ gate }) => gate !== null);
    const { messages, unsendable } = composeAll(orgId, sending, compose);
    await failUnsendable(trx, orgId, unsendable);
    const passed = [...passing, ...unsendable].map(({ enrollment_id }) => enrollment_id);
    await advancePastStep(trx, orgId, send, [...settled, ...passed]);
    await exitEnrollments(
      trx,
      orgId,
      send,
      leaving.map(({ enrollment_id, reason }) => ({ id: enrollment_id, reason })),
    );
    const deferred = await deferEnrollments(
      trx,
      orgId,
      held.map(({ enrollment_id }) => ({
        id: enrollment_id,
        until: valueAt(evaluation.deferrals, enrollment_id).until,
      })),
    );
    if (deferred < held.length) await cancelDeliveriesOfEnded(trx, orgId, { deliveryIds: held.map(({ id }) => id) });
    const failed = others.filter(({ status }) => status === 'failed').length;
    const sendings = messages.map(({ message, begun: { attempts, lease_position } }) => ({
      attempts,
      message,
      position: lease_position ?? 0,
    }));
    sendings.sort((a, b) => a.position - b.position);
    if (send.channel === 'sms') await storeTexts(trx, orgId, sendings);
    await recordInSessions(trx, orgId, send, messages);
    return {
      sendings,
      skipped: others.length - failed,
      failed: failed + unsendable.length,
    };
  });
}

interface ComposedMessage {
  begun: BegunDelivery;
  message: OutgoingMessage & ProactiveContent;
}

/** Composes the messages of begun deliveries. `unsendable` are those for whose contacts this is not possible. */
function composeAll(orgId: string, sending: BegunDelivery[], compose: (contact: TemplateContact) => Composition) {
  const messages: ComposedMessage[] = [];
  const unsendable: { id: string; enrollment_id: string; reason: string }[] = [];
  for (const delivery of sending) {
    const { id, enrollment_id, to, contact } = delivery;
    const composition = compose(contact ?? EMPTY_CONTACT);
    if ('problem' in composition) unsendable.push({ id, enrollment_id, reason: composition.problem });
    else messages.push({ begun: delivery, message: { orgId, deliveryId: id, to, ...composition.ok } });
  }
  return { messages, unsendable };
}

/** Stores the text of each SMS: after a lost response, the provider is queried by it. */
const storeTexts = (trx: Trx, orgId: string, sendings: ClaimedMessage[]): Promise<void> =>
  updateContents(
    trx,
    orgId,
    sendings.map(({ message: { deliveryId, content } }) => ({ id: deliveryId, content })),
  );

/** Adds the messages of a chunk to the sessions of their contacts, with the ids of the deliveries. Calls have no text. */
async function recordInSessions(
  trx: Trx,
  orgId: string,
  { sequenceId, channel }: StepSend,
  sent: ComposedMessage[],
): Promise<void> {
  if (channel === 'voice') return;
  const messages = sent.flatMap(({ message, begun: { id, contact_id: contactId, has_session } }) =>
    contactId === null || !has_session ? [] : [{ id, contactId, text: () => sentTextOf(message) }],
  );
  await addSequenceMessages(trx, orgId, { sequenceId, channel, messages });
}

function partition<T>(items: T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}

/**
 * Returns the time until the sequence's next send is due and the gate that holds it, without those of channels whose provider is away. Completes a
 * one-off sequence with none left.
 */
export async function completeOrFindNextDue(
  db: Db,
  orgId: string,
  { sequence, transitions, channels }: SequenceBatch,
  isAway: (channel: Channel) => boolean,
): Promise<{ state: 'active' | 'paused' | 'ended'; nextDueInMs: number | null; gate: string | null }> {
  const { ms: nextDueInMs, gate } = await findNextDue(
    db,
    orgId,
    sequence.id,
    openTransitions(transitions, channels, isAway),
  );
  const current = await findSequence(db, orgId, sequence.id);
  if (current === undefined || current.status === 'canceled') {
    await cancelSequenceDeliveries(db, orgId, sequence.id); // a send of this batch may have been deferred
    return { state: 'ended', nextDueInMs: null, gate: null };
  }
  if (current.status === 'paused') return { state: 'paused', nextDueInMs: null, gate: null };
  if (nextDueInMs === null && !current.is_continuous && (await completeOneOff(db, orgId, sequence.id))) {
    return { state: 'ended', nextDueInMs: null, gate: null };
  }
  return { state: 'active', nextDueInMs, gate };
}

/** Completes a one-off sequence once all its contacts are enrolled and none of them is waiting. */
function completeOneOff(db: Db, orgId: string, sequenceId: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if ((await findOpenRun(trx, orgId, sequenceId)) !== undefined) return false;
    if (await hasActiveEnrollments(trx, orgId, sequenceId)) return false;
    const changes = { status: 'complete', ended_at: new Date() } as const;
    return transitionSequence(trx, orgId, { id: sequenceId, from: ['active'] }, changes);
  });
}

/** Pauses a sequence if its sender cannot send at all until its settings are corrected. */
export async function pauseForSettings(db: Db, orgId: string, sequenceId: string, reason: string): Promise<void> {
  const changes = { status: 'paused', paused_at: new Date(), paused_reason: reason } as const;
  await transitionSequence(db, orgId, { id: sequenceId, from: ['active'] }, changes);
}
