import type { WorkflowContract } from '../temporal/contract.ts';

export interface ExportRef {
  orgId: string;
  exportId: string;
}

/** Writes the file of an export. */
export const EXPORT_RECORDS: WorkflowContract<ExportRef> = {
  type: 'exportRecords',
  taskQueue: 'bulk',
  workflowId: ({ exportId }) => `export/${exportId}`,
};

export interface ExportProgress {
  isEnded: boolean;
  written: number;
}
