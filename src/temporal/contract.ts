/** Replies must not wait for campaigns, crawls, browsers or other people's servers, so each has its own queue. */
export const TASK_QUEUES = ['interactive', 'bulk', 'crawls', 'rendering', 'embedding', 'webhooks'] as const;
export type TaskQueue = (typeof TASK_QUEUES)[number];
/** The queue of activities that need a browser. */
export const RENDERING: TaskQueue = 'rendering';
/** The queue of activities that compute or ask for many embeddings. */
export const EMBEDDING: TaskQueue = 'embedding';

/** The agreement between the code starting a workflow and the worker running it. */
export interface WorkflowContract<Input> {
  /** Stored in histories: never rename. */
  type: string;
  taskQueue: TaskQueue;
  /** Returns an id for the subject of the workflow. Workflows with the same id never run at the same time. */
  workflowId: (input: Input) => string;
}

/** The one signal of all workflows: something changed, read the database. It carries no data. */
export const WAKE = 'wake';
