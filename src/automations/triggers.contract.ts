import type { WorkflowContract } from '../temporal/contract.ts';

export interface AutomationRef {
  orgId: string;
  automationId: string;
}

/** Has the Temporal Schedule of a customer's workflow be as its active version says. */
export const KEEP_SCHEDULE: WorkflowContract<AutomationRef> = {
  type: 'keepSchedule',
  taskQueue: 'interactive',
  workflowId: ({ automationId }) => `workflow-schedule-keeper/${automationId}`,
};

/** Begun by the Schedule itself, which adds the time to the id. */
export const FIRE_SCHEDULE: WorkflowContract<AutomationRef> = {
  type: 'fireSchedule',
  taskQueue: 'interactive',
  workflowId: ({ automationId }) => `workflow-schedule-time/${automationId}`,
};

export const scheduleIdOf = ({ automationId }: AutomationRef): string => `workflow-schedule/${automationId}`;

export interface SilenceInput {
  orgId: string;
}

/** Tells of an org's sessions in which nobody has spoken for as long as its workflows ask for. */
export const WATCH_SILENCE: WorkflowContract<SilenceInput> = {
  type: 'watchSilence',
  taskQueue: 'interactive',
  workflowId: ({ orgId }) => `inactivity/${orgId}`,
};

/** A workflow was activated, changed or deleted: look again. */
export const LOOK_AGAIN = 'look';

/** What a look at an org's silent sessions found. */
export interface SilenceProgress {
  told: number;
  hasMore: boolean;
  /** Time until the next session may be silent for long enough. Null: no workflow asks. */
  nextInMs: number | null;
}
