/** Replies must not wait behind campaigns, so each kind of work has its own queue. */
export type TaskQueue = 'interactive' | 'bulk';

/** What the one who starts a workflow and the one who runs it agree on. */
export interface WorkflowContract<Input> {
  /** Histories remember it: never rename. */
  type: string;
  taskQueue: TaskQueue;
  /** Says which fact the workflow is about; the same fact never runs twice at once. */
  workflowId: (input: Input) => string;
}

/** The one signal of all workflows: something changed, read the database. It carries no data. */
export const WAKE = 'wake';
