import type { WorkflowContract } from '../../temporal/contract.ts';

export interface AutomationRef {
  orgId: string;
  automationId: string;
}

/** Has the Temporal Schedule of a customer's workflow be as its active version says. */
export const SYNC_SCHEDULE: WorkflowContract<AutomationRef> = {
  type: 'syncSchedule',
  taskQueue: 'interactive',
  workflowId: ({ automationId }) => `workflow-schedule-sync/${automationId}`,
};

/** Begun by the Schedule itself, which adds the time to the id. */
export const START_SCHEDULED_RUN: WorkflowContract<AutomationRef> = {
  type: 'startScheduledRun',
  taskQueue: 'interactive',
  workflowId: ({ automationId }) => `scheduled-run/${automationId}`,
};

export const scheduleIdOf = ({ automationId }: AutomationRef): string => `workflow-schedule/${automationId}`;

export interface InactivityInput {
  orgId: string;
}

/** Tells of an org's sessions in which nobody has spoken for as long as its workflows ask for. */
export const WATCH_INACTIVITY: WorkflowContract<InactivityInput> = {
  type: 'watchInactivity',
  taskQueue: 'interactive',
  workflowId: ({ orgId }) => `inactivity/${orgId}`,
};

/** What a look at an org's silent sessions found. */
export interface InactivityProgress {
  announced: number;
  hasMore: boolean;
  /** Time until the next session may be silent for long enough. Null: no workflow asks. */
  nextInMs: number | null;
}
