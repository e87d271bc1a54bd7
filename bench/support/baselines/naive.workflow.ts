import { proxyActivities } from '@temporalio/workflow';
import type { NaiveActivities } from './naive-worker.ts';

export interface NaiveInput {
  orgId: string;
  sequenceId: string;
  stepId: string;
  enrollmentId: string;
  contactId: string;
  to: string;
}

const options = { startToCloseTimeout: '1 minute' } as const;
const { begin, send, settle, beginSendAndSettle } = proxyActivities<NaiveActivities>(options);

/** Handles one contact's step as a separate workflow. Each effect is an activity, retried and visible separately. */
export async function sendToOne(input: NaiveInput): Promise<void> {
  const deliveryId = await begin(input);
  const providerId = await send({ ...input, deliveryId });
  await settle({ ...input, deliveryId, providerId });
}

/** Does the same with all effects in one activity: the minimum cost of one workflow per contact. */
export async function sendToOneAtOnce(input: NaiveInput): Promise<void> {
  await beginSendAndSettle(input);
}
