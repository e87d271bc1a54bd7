import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Db } from '../src/db/connect.ts';
import { markResults } from '../src/deliveries/marking.queries.ts';
import { SenderTrouble, type Sending, sendInLanes } from '../src/deliveries/sending.ts';
import type { UnsubscribeLinks } from '../src/deliveries/unsubscribe.ts';
import type { EmailSender } from '../src/providers/email.ts';
import type { SendTotals, SequenceProgress, SequenceRef } from '../src/sequences/contract.ts';
import { enrollNextPage } from '../src/sequences/enroll.service.ts';
import { settleDeliveries } from '../src/sequences/sending.queries.ts';
import {
  beginChunk,
  type DueStep,
  lookAhead,
  pauseForSettings,
  type SequenceBatch,
  takeBatch,
} from '../src/sequences/sending.service.ts';
import { type EmailSenders, NOBODY } from './email-senders.ts';

const BATCH = 500;
/** A batch that found nothing to do is not repeated at once. */
const LEAST_WAIT_MS = 1_000;

export interface SequenceActivityDeps {
  db: Db;
  links: UnsubscribeLinks;
  senders: EmailSenders;
  /** Aborted when the worker is to end: a batch finishes what it has under way and leaves the rest. */
  stopping: AbortSignal;
}

export type SequenceActivities = ReturnType<typeof createSequenceActivities>;

export function createSequenceActivities({ db, links, senders, stopping }: SequenceActivityDeps) {
  return {
    /** Sends at most one batch of what is due. Run twice at once, each mail still goes out once: its delivery row is claimed first. */
    async sendDueSteps({ orgId, sequenceId }: SequenceRef): Promise<SequenceProgress> {
      const { cancellationSignal } = Context.current();
      try {
        const sender = await senders.of(orgId);
        const options = { lease: randomUUID(), limit: BATCH, isEmailConfigured: sender !== undefined };
        const batch = await takeBatch(db, orgId, sequenceId, options);
        if (batch === undefined) return ENDED;
        const enrolling = await enrollNextPage(db, orgId, batch.sequence);
        const totals = { sent: 0, failed: 0, skipped: 0, unknown: batch.interrupted };
        for (const step of batch.steps) await sendStep(orgId, step, sender, totals, cancellationSignal);
        return await progressOf(orgId, batch, totals, enrolling);
      } catch (error) {
        if (error instanceof SenderTrouble && error.isConfiguration)
          await pauseForSettings(db, orgId, sequenceId, error.message);
        throw error;
      }
    },
  };

  async function sendStep(
    orgId: string,
    step: DueStep,
    sender: EmailSender | undefined,
    totals: SendTotals,
    stop: AbortSignal,
  ): Promise<void> {
    await sendInLanes<string>({
      items: step.enrollmentIds,
      sender: sender ?? NOBODY,
      isStopped: () => stop.aborted || stopping.aborted,
      begin: async (chunk): Promise<Sending[]> => {
        const { sendings, skipped, failed } = await beginChunk(db, orgId, step, links, chunk);
        totals.skipped += skipped;
        totals.failed += failed;
        return sendings;
      },
      settle: async (results) => {
        if (results.length === 0) return;
        await settleDeliveries(db, markResults(orgId, sender?.provider ?? '', results));
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
