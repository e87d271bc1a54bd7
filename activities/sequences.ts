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
    /** Sends at most one batch of what is due. Run twice at once, each message still goes out once: its delivery row is claimed first. */
    async sendDueSteps({ orgId, sequenceId }: SequenceRef): Promise<SequenceProgress> {
      const { cancellationSignal } = Context.current();
      try {
        const lease = randomUUID();
        const batch = await takeBatch(db, orgId, sequenceId, { lease, limit: BATCH });
        if (batch === undefined) return ENDED;
        const enrolling = await enrollNextPage(db, orgId, batch.sequence);
        const totals = { sent: 0, failed: 0, skipped: 0, unknown: batch.interrupted };
        const terms = await termsOf(db, orgId, batch.sequence);
        const round = { orgId, sequenceId, lease, terms, totals, stop: cancellationSignal };
        await sendSteps(round, batch.steps);
        return await progressOf(orgId, batch, totals, enrolling);
      } catch (error) {
        if (error instanceof SenderTrouble && error.isConfiguration)
          await pauseForSettings(db, orgId, sequenceId, error.message);
        throw error;
      }
    },
  };

  interface Round extends SequenceRef {
    lease: string;
    terms: SendingTerms;
    totals: SendTotals;
    stop: AbortSignal;
  }

  /** All steps, whatever trouble one of them has with its provider: the others may go out by another. */
  async function sendSteps(round: Round, steps: DueStep[]): Promise<void> {
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

  async function sendStep({ orgId, sequenceId, lease, terms, totals, stop }: Round, step: DueStep): Promise<void> {
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
        if (unknown === 0) await settleDeliveries(db, marking);
        else await settleAndAsk(db, orgId, (trx) => settleDeliveries(trx, marking).then(() => unknown));
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

const ENDED: SequenceProgress = {
  state: 'ended',
  name: '',
  lastStep: null,
  batch: { sent: 0, failed: 0, skipped: 0, unknown: 0 },
  hasMore: false,
  nextDueInMs: null,
};
