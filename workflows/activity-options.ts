import type { ActivityOptions } from '@temporalio/workflow';

/** A batch of sends. Tried again for as long as it takes: what failed is shown in the UI, and nothing is lost meanwhile. */
export const SEND_BATCH: ActivityOptions = {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};
