import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Db } from '../src/db/connect.ts';
import { type MessageSenders, NOT_CONNECTED, NOT_CONNECTED_REASON } from '../src/deliveries/sending/message-sender.ts';
import { settleResults } from '../src/deliveries/sending/outcomes.queries.ts';
import { settleAndReconcile } from '../src/deliveries/sending/reconciliation.service.ts';
import { SenderUnavailable, sendInChunks } from '../src/deliveries/sending/send-batch.ts';
import type { SendTotals, SequenceProgress, SequenceRef } from '../src/sequences/contract.ts';
import { enrollNextPage } from '../src/sequences/enrollment/service.ts';
import {
  beginChunk,
  completeOrFindNextDue,
  type DueStep,
  pauseForSettings,
  prepareBatch,
  type SequenceBatch,
} from '../src/sequences/sending/batch.service.ts';
import { getSendingPolicy, type SendingPolicy, sendRuleOf } from '../src/sequences/sending/policy.service.ts';
import { type StepSend, settleDeliveries } from '../src/sequences/sending/queries.ts';
import { CHANNEL_OF, contentOf, isPersonal, senderOf } from '../src/sequences/steps/content.rules.ts';

const BATCH_SIZE = 500;
const MIN_ACTIVITY_MS = 1_000;
/** Delay before the next batch after one without work. */
const MIN_WAIT_MS = 1_000;

export interface SequenceActivityDeps {
  db: Db;
  senders: MessageSenders;
  /** Aborted when the worker shuts down: a batch finishes its sends in flight and leaves the rest. */
  stopping: AbortSignal;
}

export type SequenceActivities = ReturnType<typeof createSequenceActivities>;

export function createSequenceActivities({ db, senders, stopping }: SequenceActivityDeps) {
  return {
    /**
     * Sends due steps, batch after batch, until none is due or at least a second has passed. Thus a fast provider does
     * not wait for the workflow between batches. If this runs twice at once, each message is still sent once: its
     * delivery row is claimed first.
     */
    async sendDueSteps(ref: SequenceRef): Promise<SequenceProgress> {
      const { cancellationSignal } = Context.current();
      const begunAt = performance.now();
      const totals = { sent: 0, failed: 0, skipped: 0, unknown: 0 };
      const round = { ...ref, lease: randomUUID(), totals, stop: cancellationSignal };
      for (;;) {
        const progress = await sendBatch(round);
        const isOver = performance.now() - begunAt > MIN_ACTIVITY_MS || cancellationSignal.aborted || stopping.aborted;
        if (!progress.hasMore || isOver) return progress;
      }
    },
  };

  async function sendBatch(round: Round): Promise<SequenceProgress> {
    const { orgId, sequenceId, lease, totals } = round;
    try {
      const batch = await prepareBatch(db, orgId, sequenceId, { lease, limit: BATCH_SIZE });
      if (batch === undefined) return { ...ENDED_PROGRESS, batch: totals };
      totals.unknown += batch.interrupted;
      const enrolling = await enrollNextPage(db, orgId, batch.sequence);
      await sendSteps({ ...round, terms: await getSendingPolicy(db, orgId, batch.sequence) }, batch.steps);
      return await progressOf(orgId, batch, totals, enrolling);
    } catch (error) {
      if (error instanceof SenderUnavailable && error.isConfiguration)
        await pauseForSettings(db, orgId, sequenceId, error.message);
      throw error;
    }
  }

  interface Round extends SequenceRef {
    lease: string;
    totals: SendTotals;
    stop: AbortSignal;
  }

  /**
   * Sends all steps, even if the provider of one is unavailable: the others may use another provider. Throws the first
   * such error at the end, preferring configuration errors.
   */
  async function sendSteps(round: Round & { terms: SendingPolicy }, steps: DueStep[]): Promise<void> {
    const troubles: SenderUnavailable[] = [];
    for (const step of steps) {
      await sendStep(round, step).catch((error: unknown) => {
        if (!(error instanceof SenderUnavailable)) throw error;
        troubles.push(error);
      });
    }
    const trouble = troubles.find(({ isConfiguration }) => isConfiguration) ?? troubles[0];
    if (trouble !== undefined) throw trouble;
  }

  async function sendStep(round: Round & { terms: SendingPolicy }, step: DueStep): Promise<void> {
    const { orgId, sequenceId, lease, terms, totals, stop } = round;
    const { action, stepId, positions, enrollmentIds } = step;
    const sender = (await senders.of(orgId, CHANNEL_OF[action.type])) ?? NOT_CONNECTED;
    const send: StepSend = {
      ...sendRuleOf(orgId, action, terms, sender === NOT_CONNECTED ? NOT_CONNECTED_REASON : null),
      gates: terms.gates,
      sender: senderOf(action, sender.fromAddress),
      isPersonal: isPersonal(action),
      sequenceId,
      stepId,
      positions,
      lease,
    };
    const compose = contentOf(action);
    await sendInChunks<string>({
      items: enrollmentIds,
      sender,
      isStopped: () => stop.aborted || stopping.aborted,
      claim: async (chunk) => {
        const { sendings, skipped, failed } = await beginChunk(db, orgId, send, compose, chunk);
        totals.skipped += skipped;
        totals.failed += failed;
        return sendings;
      },
      settle: async (results) => {
        if (results.length === 0) return;
        const unknown = results.filter(([, { status }]) => status === 'unknown').length;
        const marking = settleResults(orgId, { provider: sender.provider, lease }, results);
        if (unknown === 0) await settleDeliveries(db, orgId, stepId, marking);
        else
          await settleAndReconcile(db, orgId, (trx) =>
            settleDeliveries(trx, orgId, stepId, marking).then(() => unknown),
          );
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
    const { state, nextDueInMs } = await completeOrFindNextDue(db, orgId, batch);
    const didSomething = enrolling.enrolled > 0 || enrolling.hasMore || batch.steps.length > 0;
    return {
      state,
      name: batch.sequence.name,
      lastStep: batch.steps.at(-1)?.label ?? null,
      batch: totals,
      hasMore: state === 'active' && didSomething && (enrolling.hasMore || (nextDueInMs !== null && nextDueInMs <= 0)),
      nextDueInMs: nextDueInMs === null ? null : Math.max(nextDueInMs, MIN_WAIT_MS),
    };
  }
}

const ENDED_PROGRESS = {
  state: 'ended',
  name: '',
  lastStep: null,
  hasMore: false,
  nextDueInMs: null,
} as const;
