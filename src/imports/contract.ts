import type { WorkflowContract } from '../temporal/contract.ts';

export interface ImportRef {
  orgId: string;
  importId: string;
}

/** Imports the records of a file of another desk. */
export const IMPORT_RECORDS: WorkflowContract<ImportRef> = {
  type: 'importRecords',
  taskQueue: 'bulk',
  workflowId: ({ importId }) => `import/${importId}`,
};

export interface ImportProgress {
  isEnded: boolean;
  records: number;
  leftOut: number;
}
