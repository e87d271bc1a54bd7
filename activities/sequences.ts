import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Db } from '../src/db/connect.ts';
import { settleAndAsk } from '../src/deliveries/look-ups.service.ts';
import { markResults } from '../src/deliveries/marking.queries.ts';
import { NOT_CONFIGURED, NOWHERE, type Outlets } from '../src/deliveries/outlet.ts';
import { SenderTrouble, sendInLanes } from '../src/deliveries/sending.ts';
import { CHANNEL_OF, contentOf, isPersonal, senderOf } from '../src/sequences/content.rules.ts';
import type { SendTotals, SequenceProgress, SequenceRef } from '../src/sequences/contract.ts';
import { enrollNextPage } from '../src/sequences/enroll.service.ts';
import { type StepSend, settleDeliveries } from '../src/sequences/sending.queries.ts';
import {
  beginChunk,
  type DueStep,
  lookAhead,
  pauseForSettings,
  type SequenceBatch,
  takeBatch,
} from '../src/sequences/sending.service.ts';
import { ruleOf, type SendingTerms, termsOf } from '../src/sequences/terms.service.ts';

const BATCH = 500;
const LONG_ENOUGH_MS = 1_000;
/** A batch that found nothing to do is not repeated at once. */
const LEAST_WAIT_MS = 1_000;

export interface SequenceActivityDeps {
  db: Db;
  outlets: Outlets;
  /** Aborted when the worker is to end: a batch finishes what it has under way and leaves the rest. */
  stopping: AbortSignal;
}

export type SequenceActivities = ReturnType<typeof createSequenceActivities>;

export function createSequenceActivities({ db, outlets, stopping }: SequenceActivityDeps) {
  return {
    /**
     * Sends what is due, batch after batch for at least a second or until nothing more is: so a quick provider does not wait for the
     * workflow between them. Run twice at once, each message still goes out once: its delivery row is claimed first.
     */
    async sendDueSteps(ref: SequenceRef): Promise<SequenceProgress> {
      const { cancellationSignal } = Context.current();
      const begunAt = performance.now();
      const totals = { sent: 0, failed: 0, skipped: 0, unknown: 0 };
      const round = { ...ref, lease: randomUUID(), totals, stop: cancellationSignal };
      for (;;) {
        const progress = await sendBatch(round);
        const isOver = performance.now() - begunAt > LONG_ENOUGH_MS || cancellationSignal.aborted || stopping.aborted;
        if (!progress.hasMore || isOver) return progress;
      }
    },
  };

  async function sendBatch(round: Round): Promise<SequenceProgress> {
    const { orgId, sequenceId, lease, totals } = round;
    try {
      const batch = await takeBatch(db, orgId, sequenceId, { lease, limit: BATCH });
      if (batch === undefined) return { ...ENDED, batch: totals };
      totals.unknown += batch.interrupted;
      const enrolling = await enrollNextPage(db, orgId, batch.sequence);
      await sendSteps({ ...round, terms: await termsOf(db, orgId, batch.sequence) }, batch.steps);
      return await progressOf(orgId, batch, totals, enrolling);
    } catch (error) {
      if (error instanceof SenderTrouble && error.isConfiguration)
        await pauseForSettings(db, orgId, sequenceId, error.message);
      throw error;
    }
  }

  interface Round extends SequenceRef {
    lease: string;
    totals: SendTotals;
    stop: AbortSignal;
  }

  /** All steps, whatever trouble one of them has with its provider: the others may go out by another. */
  async function sendSteps(round: Round & { terms: SendingTerms }, steps: DueStep[]): Promise<void> {
    const troubles: SenderTrouble[] = [];
    for (const step of steps) {
      await sendStep(round, step).catch((error: unknown) => {
        if (!(error instanceof SenderTrouble)) throw error;
        troubles.push(error);
      });
    }
    const trouble = troubles.find(({ isConfiguration }) => isConfiguration) ?? troubles[0];
    if (trouble !== undefined) throw trouble;
  }

  async function sendStep(round: Round & { terms: SendingTerms }, step: DueStep): Promise<void> {
    const { orgId, sequenceId, lease, terms, totals, stop } = round;
    const { action, stepId, places, enrollmentIds } = step;
    const outlet = (await outlets.of(orgId, CHANNEL_OF[action.type])) ?? NOWHERE;
    const send: StepSend = {
      ...ruleOf(orgId, action, terms, outlet === NOWHERE ? NOT_CONFIGURED : null),
      gates: terms.gates,
      sender: senderOf(action, outlet.sender),
      isPersonal: isPersonal(action),
      sequenceId,
      stepId,
      places,
      lease,
    };
    const compose = contentOf(action);
    await sendInLanes<string>({
      items: enrollmentIds,
      outlet,
      isStopped: () => stop.aborted || stopping.aborted,
      begin: async (chunk) => {
        const { sendings, skipped, failed } = await beginChunk(db, orgId, send, compose, chunk);
        totals.skipped += skipped;
        totals.failed += failed;
        return sendings;
      },
      settle: async (results) => {
        if (results.length === 0) return;
        const unknown = results.filter(([, { status }]) => status === 'unknown').length;
        const marking = markResults(orgId, { provider: outlet.provider, lease }, results);
        if (unknown === 0) await settleDeliveries(db, orgId, stepId, marking);
        else await settleAndAsk(db, orgId, (trx) => settleDeliveries(trx, orgId, stepId, marking).then(() => unknown));
        for (const [, { status }] of results) {
          if (status === 'accepted') totals.sent++;
          else if (status === 'unknown') totals.unknown++;
          else if (status !== 'queued') totals.failed++;
        }
      },
    });
  }

  async function progressOf(
    orgId: string,
    batch: SequenceBatch,
    totals: SendTotals,
    enrolling: { enrolled: number; hasMore: boolean },
  ): Promise<SequenceProgress> {
    const { state, nextDueInMs } = await lookAhead(db, orgId, batch);
    const didSomething = enrolling.enrolled > 0 || enrolling.hasMore || batch.steps.length > 0;
    return {
      state,
      name: batch.sequence.name,
      lastStep: batch.steps.at(-1)?.label ?? null,
      batch: totals,
      hasMore: state === 'active' && didSomething && (enrolling.hasMore || (nextDueInMs !== null && nextDueInMs <= 0)),
      nextDueInMs: nextDueInMs === null ? null : Math.max(nextDueInMs, LEAST_WAIT_MS),
    };
  }
}

const ENDED = {
  state: 'ended',
  name: '',
  lastStep: null,
  hasMore: false,
  nextDueInMs: null,
} as const;
