import type { ActivityOptions } from '@temporalio/workflow';

/** A batch of sends. Tried again for as long as it takes: what failed is shown in the UI, and nothing is lost meanwhile. */
export const SEND_BATCH: ActivityOptions = {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** A batch that only the database takes part in. Tried again for as long as that is away. */
export const DATABASE_BATCH: ActivityOptions = {
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};

/** A look at what is due. Tried again for as long as it takes, and soon: a late breach is told late. */
export const EVALUATE_CLOCKS: ActivityOptions = {
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '10 seconds' },
};

/**
 * A call of a CRM, or a batch of reads: three more tries after the first, at 1, 2 and 4 s, or when the CRM says. What fails then waits for another
 * round.
 */
export const CRM_CALL: ActivityOptions = {
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 4 },
};

/** A call of an org's AI model. Tried again for as long as it takes, soon where the model says when. */
export const AI_CALL: ActivityOptions = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
};

/** A step of a customer's workflow, whose own tries the step sets. */
export const RUN_STEP: ActivityOptions = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
};
