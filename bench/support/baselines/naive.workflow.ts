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

/** One contact's step as its own workflow, each effect an activity: tried again by itself, visible by itself. */
export async function sendToOne(input: NaiveInput): Promise<void> {
  const deliveryId = await begin(input);
  const providerId = await send({ ...input, deliveryId });
  await settle({ ...input, deliveryId, providerId });
}

/** The same with all effects in one activity: the least that one workflow per contact can cost. */
export async function sendToOneAtOnce(input: NaiveInput): Promise<void> {
  await beginSendAndSettle(input);
}
