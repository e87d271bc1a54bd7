import { randomUUID } from 'node:crypto';
import { elementAt } from '../../collections/checked-access.ts';
import type { Channel } from '../../deliveries/contract.ts';
import { IS_SENDING_PAUSED } from '../../deliveries/pause/service.ts';
import type { ClaimedMessage } from '../../deliveries/sending/claims-ahead.ts';
import { type SendBatchDeps, sendBatch } from '../../deliveries/sending/send-batch.service.ts';
import { SenderUnavailable, type SendPace } from '../../deliveries/sending/send-chunks.ts';
import type { SendTotals, SequenceProgress, SequenceRef } from '../contract.ts';
import { enrollNextPage, type PageEnrollment } from '../enrollment/service.ts';
import { cancelDeliveriesOfEnded } from '../reconciliation/shared.queries.ts';
import { CHANNEL_OF, contentOf, isPersonal, senderOf } from '../steps/content.rules.ts';
import {
  beginChunk,
  completeOrFindNextDue,
  type DueStep,
  pauseForSettings,
  prepareBatch,
  type SequenceBatch,
} from './batch.service.ts';
import type { Outages } from './outages.ts';
import { addressRuleOf, getSendingPolicy, type SendingPolicy, sendRuleOf } from './policy.service.ts';
import { advanceSettled, beginThrough, type StepSend } from './queries.ts';

const BATCH_SIZE = 500;
/** A larger batch follows one that took less time. */
const QUICK_BATCH_MS = 500;
const MAX_BATCH_SIZE = 1_000;
const MIN_ROUND_MS = 1_000;
/** Delay before the next batch after one without work. */
const MIN_WAIT_MS = 1_000;

export interface SequenceSendingDeps extends SendBatchDeps {
  outages: Outages;
}

interface Round extends SequenceRef {
  lease: string;
  totals: SendTotals;
  /** The number of sends that earlier batches may have claimed ahead. */
  positions: number;
  /** The size of the next batch, and whether the last one had as many sends. */
  limit: number;
  isFull: boolean;
  /** By channel, how fast its sends were. */
  paces: Map<Channel, SendPace>;
}

/**
 * Sends due steps, batch after batch, until none is due or at least a second has passed. Thus a fast provider does not
 * wait for the workflow between batches. If this runs twice at once, each message is still sent once: its delivery row is
 * claimed first. While the provider of one channel is away, the steps of other channels are sent. Throws
 * SenderUnavailable if there are none; one whose settings are wrong also pauses the sequence.
 */
export async function sendDueSteps(deps: SequenceSendingDeps, ref: SequenceRef): Promise<SequenceProgress> {
  const begunAt = performance.now();
  const totals = { sent: 0, failed: 0, skipped: 0, unknown: 0 };
  const round: Round = {
    ...ref,
    lease: randomUUID(),
    totals,
    positions: 0,
    limit: BATCH_SIZE,
    isFull: false,
    paces: new Map(),
  };
  for (;;) {
    const batchBegunAt = performance.now();
    const progress = await sendDueBatch(deps, round);
    const isQuick = round.isFull && performance.now() - batchBegunAt < QUICK_BATCH_MS;
    round.limit = isQuick ? Math.min(2 * round.limit, MAX_BATCH_SIZE) : BATCH_SIZE;
    const isOver = performance.now() - begunAt > MIN_ROUND_MS || deps.isStopped();
    if (!progress.hasMore || isOver) return progress;
  }
}

async function sendDueBatch(deps: SequenceSendingDeps, round: Round): Promise<SequenceProgress> {
  const { db } = deps;
  const { orgId, sequenceId, lease, totals } = round;
  try {
    const isAway = (channel: Channel) => deps.outages.find(orgId, channel) !== undefined;
    const batch = await prepareBatch(db, orgId, sequenceId, { lease, limit: round.limit, isAway });
    if (batch === undefined) return { ...ENDED_PROGRESS, batch: totals };
    totals.unknown += batch.interrupted;
    round.isFull = batch.steps.reduce((sum, { enrollmentIds }) => sum + enrollmentIds.length, 0) === round.limit;
    const enrolling = await enrollNextPage(db, orgId, batch.sequence);
    await sendSteps(deps, round, await getSendingPolicy(db, orgId, batch.sequence), batch);
    return await progressOf(deps, round, batch, enrolling);
  } catch (error) {
    if (error instanceof SenderUnavailable && error.isConfiguration)
      await pauseForSettings(db, orgId, sequenceId, error.message);
    throw error;
  }
}

/**
 * Sends all steps, even if the provider of one is unavailable: the others may use another provider. If the sequence has
 * other channels, the outage is noted. Otherwise, and for wrong settings, throws the first such error at the end.
 */
async function sendSteps(
  deps: SequenceSendingDeps,
  round: Round,
  policy: SendingPolicy,
  { steps, channels }: SequenceBatch,
): Promise<void> {
  const { outages } = deps;
  const errors: SenderUnavailable[] = [];
  for (const step of steps) {
    const channel = CHANNEL_OF[step.action.type];
    try {
      await sendStep(deps, round, policy, step);
      outages.clear(round.orgId, channel);
    } catch (error) {
      if (!(error instanceof SenderUnavailable)) throw error;
      if (error.isConfiguration || channels.length === 1) errors.push(error);
      else outages.record(round.orgId, channel, error);
    }
  }
  const error = errors.find(({ isConfiguration }) => isConfiguration) ?? errors[0];
  if (error !== undefined) throw error;
}

async function sendStep(deps: SendBatchDeps, round: Round, policy: SendingPolicy, step: DueStep): Promise<void> {
  const { orgId, sequenceId, lease, totals } = round;
  const { action, stepId, positions, enrollmentIds } = step;
  const rule = { ...addressRuleOf(action), isSendingPaused: IS_SENDING_PAUSED };
  const compose = contentOf(action);
  const channel = CHANNEL_OF[action.type];
  const pace = round.paces.get(channel) ?? {};
  round.paces.set(channel, pace);
  const before = round.positions;
  round.positions += enrollmentIds.length;
  const { sent, failed, unknown } = await sendBatch<string>(deps, orgId, {
    channel,
    lease,
    pace,
    items: enrollmentIds,
    claim: async (chunk, { fromAddress, missingSenderReason }, first) => {
      const send: StepSend = {
        ...sendRuleOf(orgId, action, policy, missingSenderReason),
        gates: policy.gates,
        sender: senderOf(action, fromAddress),
        isPersonal: isPersonal(action),
        sequenceId,
        stepId,
        positions,
        lease,
      };
      const firstPosition = first === null ? null : before + first + 1;
      const begun = await beginChunk(deps.db, orgId, send, { enrollmentIds: chunk, firstPosition, compose });
      totals.skipped += begun.skipped;
      totals.failed += begun.failed;
      return begun.sendings;
    },
    begin: (group, { isFirst }) =>
      beginThrough(deps.db, orgId, { sequenceId, lease }, { ...rule, isFirst, ...beginningOf(group) }),
    continuation: advanceSettled(orgId, stepId),
    endRequeued: (trx, deliveryIds) => cancelDeliveriesOfEnded(trx, orgId, { deliveryIds }),
  });
  totals.sent += sent;
  totals.failed += failed;
  totals.unknown += unknown;
}

const beginningOf = (group: ClaimedMessage[]) => ({
  sends: group.map(({ message }) => message),
  position: elementAt(group, -1).position,
});

/**
 * Returns the progress after a batch. What is away is looked up once: a channel is counted either by its due time or by
 * the end of its pause, so that the sequence wakes for it.
 */
async function progressOf(
  { db, outages }: SequenceSendingDeps,
  { orgId, totals }: Round,
  batch: SequenceBatch,
  enrolling: PageEnrollment,
): Promise<SequenceProgress> {
  const away = batch.channels.length === 1 ? [] : batch.channels.flatMap((name) => awayFor(outages, orgId, name));
  const isAway = (name: Channel) => away.some(({ channel }) => channel === name);
  const { state, nextDueInMs: dueInMs, gate } = await completeOrFindNextDue(db, orgId, batch, isAway);
  const pauses = state === 'active' ? away.map(({ pauseMs }) => pauseMs) : [];
  const times = [...pauses, dueInMs, enrolling.retryInMs].filter((ms) => ms !== null);
  const nextDueInMs = times.length > 0 ? Math.min(...times) : null;
  const didSomething = enrolling.enrolled > 0 || enrolling.hasMore || batch.steps.length > 0;
  return {
    state,
    name: batch.sequence.name,
    lastStep: batch.steps.at(-1)?.label ?? null,
    batch: totals,
    hasMore: state === 'active' && didSomething && (enrolling.hasMore || (nextDueInMs !== null && nextDueInMs <= 0)),
    nextDueInMs: nextDueInMs === null ? null : Math.max(nextDueInMs, MIN_WAIT_MS),
    waitsFor: gate === null || nextDueInMs !== dueInMs ? null : gate === 'quiet_hours' ? 'quiet hours' : 'gate',
    trouble: away.length === 0 ? null : away.map(({ channel, reason }) => `${channel}: ${reason}`).join('; '),
  };
}

function awayFor(outages: Outages, orgId: string, channel: Channel) {
  const outage = outages.find(orgId, channel);
  return outage === undefined ? [] : [{ channel, ...outage }];
}

const ENDED_PROGRESS = {
  state: 'ended',
  name: '',
  lastStep: null,
  hasMore: false,
  nextDueInMs: null,
} as const;
