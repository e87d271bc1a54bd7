import type { WorkflowContract } from '../../temporal/contract.ts';

export interface AutomationRef {
  orgId: string;
  automationId: string;
}

/** Syncs the Temporal Schedule of a customer's workflow with its active version. */
export const SYNC_SCHEDULE: WorkflowContract<AutomationRef> = {
  type: 'syncSchedule',
  taskQueue: 'interactive',
  workflowId: ({ automationId }) => `workflow-schedule-sync/${automationId}`,
};

/** Started by the Schedule. Temporal appends the time to the id. */
export const START_SCHEDULED_RUN: WorkflowContract<AutomationRef> = {
  type: 'startScheduledRun',
  taskQueue: 'interactive',
  workflowId: ({ automationId }) => `scheduled-run/${automationId}`,
};

export const scheduleIdOf = ({ automationId }: AutomationRef): string => `workflow-schedule/${automationId}`;

/** The Schedule of the times around clock changes, which Temporal misplaces. */
export const clockChangeScheduleIdOf = (ref: AutomationRef): string => `${scheduleIdOf(ref)}/clock-changes`;

export interface InactivityInput {
  orgId: string;
}

/** Announces inactive sessions for the org's workflows with an inactivity trigger. */
export const WATCH_INACTIVITY: WorkflowContract<InactivityInput> = {
  type: 'watchInactivity',
  taskQueue: 'interactive',
  workflowId: ({ orgId }) => `inactivity/${orgId}`,
};

/** Result of a check for inactive sessions. */
export interface InactivityProgress {
  announced: number;
  hasMore: boolean;
  /** Time until the next session may become inactive. Null: no active workflow has an inactivity trigger. */
  nextInMs: number | null;
}
