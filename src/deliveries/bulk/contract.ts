import type { ItemJobRef } from '../../db/jobs/contract.ts';
import type { WorkflowContract } from '../../temporal/contract.ts';

export type DeliveryJobRef = ItemJobRef;

/** Settles many deliveries without a known outcome as a person has decided. */
export const SETTLE_DELIVERIES: WorkflowContract<DeliveryJobRef> = {
  type: 'settleDeliveries',
  taskQueue: 'bulk',
  workflowId: ({ jobId }) => `delivery-job/${jobId}`,
};
