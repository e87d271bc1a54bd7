import {
  condition,
  continueAsNew,
  defineSignal,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { SequenceActivities } from '../activities/sequences.ts';
import type { RunSequenceInput, SendTotals, SequenceProgress } from '../src/sequences/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { DATABASE_BATCH, SEND_BATCH } from './activity-options.ts';
import { recordingCancellation } from './cancellation.ts';
import { clearWaitsFor, setWaitsFor, type WaitReason } from './waits-for.ts';

const BATCHES_PER_RUN = 200;

const wake = defineSignal(WAKE);
const { sendDueSteps } = proxyActivities<SequenceActivities>(SEND_BATCH);
const { recordSequenceCancellation } = proxyActivities<SequenceActivities>({
  ...DATABASE_BATCH,
  summary: 'pause the sequence: its workflow was canceled in Temporal',
});

/**
 * Runs a sequence: sends due steps in batches, then sleeps until the next step is due or a signal arrives. Ends when
 * the sequence has ended. All facts are in the database; this workflow only keeps the time.
 */
export async function runSequence(input: RunSequenceInput): Promise<SendTotals> {
  const { orgId, sequenceId } = input;
  const showsGates = patched('waits-for-gates');
  return recordingCancellation(
    () => sendUntilEnd(input, showsGates),
    () => recordSequenceCancellation({ orgId, sequenceId }),
  );
}

async function sendUntilEnd(input: RunSequenceInput, showsGates: boolean): Promise<SendTotals> {
  let isWoken = false;
  setHandler(wake, () => {
    isWoken = true;
  });
  let totals = input.totals ?? { sent: 0, failed: 0, skipped: 0, unknown: 0 };
  let lastStep = input.lastStep ?? null;

  for (let batches = 1; ; batches++) {
    isWoken = false;
    const progress = await sendDueSteps.executeWithOptions(
      { ...SEND_BATCH, summary: `batch ${batches}: send due steps` },
      [{ orgId: input.orgId, sequenceId: input.sequenceId }],
    );
    totals = add(totals, progress.batch);
    lastStep = progress.lastStep ?? lastStep;
    setCurrentDetails(describe(input, { ...progress, lastStep }, totals));

    if (progress.state === 'ended') return totals;
    if (batches >= BATCHES_PER_RUN || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof runSequence>({ ...input, totals, lastStep });
    }
    if (progress.hasMore || isWoken) continue;
    setWaitsFor(reasonOf(showsGates ? progress : { ...progress, waitsFor: undefined }));
    if (progress.nextDueInMs === null) await condition(() => isWoken);
    else
      await condition(() => isWoken, Math.max(progress.nextDueInMs, 1), {
        summary: 'waiting for the next step to be due',
      });
    if (showsGates) clearWaitsFor();
  }
}

const add = (a: SendTotals, b: SendTotals): SendTotals => ({
  sent: a.sent + b.sent,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  unknown: a.unknown + b.unknown,
});

function reasonOf({ state, trouble, nextDueInMs, waitsFor }: SequenceProgress): WaitReason {
  if (trouble) return 'provider';
  if (state === 'paused') return 'person';
  if (waitsFor) return waitsFor;
  return nextDueInMs === null ? 'event' : 'timer';
}

function describe({ orgId }: RunSequenceInput, progress: SequenceProgress, totals: SendTotals): string {
  const due =
    progress.nextDueInMs === null ? 'nothing is due' : new Date(Date.now() + progress.nextDueInMs).toISOString();
  return [
    `**${progress.name}**, org \`${orgId}\`: ${progress.state}`,
    `- last sent: ${progress.lastStep === null ? 'nothing yet' : `step ${progress.lastStep}`}`,
    `- sent ${totals.sent}, failed ${totals.failed}, skipped ${totals.skipped}, unknown ${totals.unknown}`,
    `- next due: ${progress.hasMore ? 'now' : due}`,
    ...(progress.trouble ? [`- waiting for a provider: ${progress.trouble}`] : []),
  ].join('\n');
}
