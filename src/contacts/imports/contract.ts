import type { WorkflowContract } from '../../temporal/contract.ts';

export interface ContactImportRef {
  orgId: string;
  importId: string;
}

/** Imports the contacts of a CSV file. */
export const IMPORT_CONTACTS: WorkflowContract<ContactImportRef> = {
  type: 'importContacts',
  taskQueue: 'bulk',
  workflowId: ({ importId }) => `contact-import/${importId}`,
};

export interface ContactImportProgress {
  isEnded: boolean;
  lines: number;
  refused: number;
}
