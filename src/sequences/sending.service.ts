import { NOBODY, type TemplateContact } from '../contacts/templates.rules.ts';
import type { Db, Trx } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import type { ChannelContent } from '../deliveries/content.ts';
import { interruption, settleAndAsk } from '../deliveries/look-ups.service.ts';
import type { Sending } from '../deliveries/sending.ts';
import type { StepAction } from './actions.schema.ts';
import { findNextDue, hasActiveEnrollments, listDue } from './due.queries.ts';
import { findOpenRun } from './enrollments.queries.ts';
import type { Hold } from './gates.rules.ts';
import { judge } from './gates.service.ts';
import { findSequence, moveSequence, type SequenceRow } from './queries.ts';
import { type Move, movesOf } from './rules.ts';
import {
  beginDeliveries,
  exitEnrollments,
  holdEnrollments,
  keepContents,
  passStep,
  type StepSend,
  settleInterrupted,
} from './sending.queries.ts';
import { listAllSteps, type SequenceStep } from './steps.queries.ts';
import { cancelWaiting, tidy } from './tidying.service.ts';

/** The sends of one step that are due together. */
export interface DueStep {
  stepId: string;
  action: StepAction;
  /** The step's place among the present ones, for people: "2 of 3". */
  label: string;
  /** Where those stand whose next step it is. */
  places: string[];
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
  { lease, limit }: { lease: string; limit: number },
): Promise<SequenceBatch | undefined> {
  const sequence = await findSequence(db, orgId, sequenceId);
  const allSteps = await listAllSteps(db, orgId, sequenceId);
  const moves = movesOf(allSteps);
  const interrupted = await settleAndAsk(db, orgId, (trx) =>
    settleInterrupted(trx, orgId, sequenceId, lease, interruption),
  );
  if (sequence === undefined || sequence.status === 'canceled') await cancelWaiting(db, orgId, sequenceId);
  if (sequence === undefined || sequence.status === 'canceled' || sequence.status === 'complete') return undefined;
  await tidy(db, orgId, sequence, allSteps);
  if (sequence.status !== 'active') return { sequence, moves, steps: [], interrupted };

  const due = Map.groupBy(await listDue(db, orgId, sequenceId, moves, limit), ({ step_id }) => step_id);
  const present = allSteps.filter((step) => !step.is_deleted);
  const placesBefore = (stepId: string) =>
    moves.filter((move) => move.next?.id === stepId).map((move) => move.after ?? sequenceId);
  const steps = present.flatMap(({ id, action }, index) => {
    const enrollmentIds = (due.get(id) ?? []).map((enrollment) => enrollment.id);
    return enrollmentIds.length === 0
      ? []
      : [{ stepId: id, action, label: `${index + 1} of ${present.length}`, places: placesBefore(id), enrollmentIds }];
  });
  return { sequence, moves, steps, interrupted };
}

/** What a chunk came to before anything was sent. */
export interface BegunChunk {
  sendings: Sending[];
  skipped: number;
  failed: number;
}

/** Writes down that a chunk is being sent, passes or holds those that are not to be sent now, and gives what goes to the others. */
export async function beginChunk(
  db: Db,
  orgId: string,
  send: StepSend,
  compose: (contact: TemplateContact) => ChannelContent,
  enrollmentIds: string[],
): Promise<BegunChunk> {
  return inTransaction(db, async (trx) => {
    const judgement = await judge(trx, orgId, send, enrollmentIds);
    const { begun, settled } = await beginDeliveries(trx, orgId, send, enrollmentIds, judgement);
    const { sending = [], held = [], ...ended } = Object.groupBy(begun, ({ status }) => status);
    const others = Object.values(ended).flat();
    const [leaving, passing] = partition(others, ({ gate }) => gate !== null);
    await passStep(trx, orgId, send, [...settled, ...passing.map(({ enrollment_id }) => enrollment_id)]);
    await exitEnrollments(
      trx,
      orgId,
      send,
      leaving.map(({ enrollment_id, reason }) => ({ id: enrollment_id, reason })),
    );
    await holdEnrollments(
      trx,
      orgId,
      held.map(({ enrollment_id }) => ({
        id: enrollment_id,
        until: (judgement.holds.get(enrollment_id) as Hold).until,
      })),
    );
    const failed = others.filter(({ status }) => status === 'failed').length;
    const sendings = sending.map(({ id, to, attempts, contact }) => ({
      attempts,
      envelope: { orgId, deliveryId: id, to, ...compose(contact ?? NOBODY) },
    }));
    if (send.channel === 'sms') await keepTexts(trx, orgId, sendings);
    return {
      sendings,
      skipped: others.length - failed,
      failed,
    };
  });
}

/** By its text a provider is asked for an SMS whose answer was lost. */
const keepTexts = (trx: Trx, orgId: string, sendings: Sending[]): Promise<void> =>
  keepContents(
    trx,
    orgId,
    sendings.map(({ envelope: { deliveryId, content } }) => ({ id: deliveryId, content })),
  );

function partition<T>(items: T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
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
    await cancelWaiting(db, orgId, sequence.id); // a send of this very batch may have been put off
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
