import type { WorkflowContract } from '../../temporal/contract.ts';

export interface DeliveryJobRef {
  orgId: string;
  jobId: string;
}

/** Settles many deliveries without a known outcome as a person has decided. */
export const SETTLE_DELIVERIES: WorkflowContract<DeliveryJobRef> = {
  type: 'settleDeliveries',
  taskQueue: 'bulk',
  workflowId: ({ jobId }) => `delivery-job/${jobId}`,
};

export interface DeliveryJobProgress {
  isEnded: boolean;
  done: number;
  failed: number;
}
