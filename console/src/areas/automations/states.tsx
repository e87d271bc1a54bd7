import type { Run, RunRow, RunStep } from '../../api/runs';
import type { Tone } from '../../ui/charts/parts-bar';
import { Chip } from '../../ui/parts';

type Status = RunRow['status'];

export const STATUS_NAMES: Record<Status, string> = {
  idle: 'Queued',
  in_progress: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  canceled: 'Canceled',
};

export const WAITING_NAMES: Record<NonNullable<RunRow['waiting_for']>, string> = {
  timer: 'Waits for a time',
  event: 'Waits for an event',
  retry: 'Waits for a retry',
  person: 'Needs a person',
};

export const STATUS_TONES: Record<Status, Tone> = {
  failed: 'bad',
  canceled: 'quiet',
  in_progress: 'accent',
  idle: 'warn',
  completed: 'good',
};

const CHIP_TONES = {
  completed: 'good',
  failed: 'bad',
  idle: 'plain',
  in_progress: 'plain',
  canceled: 'plain',
} as const;

/** What a run does now, in a word. */
export const RunState = ({ run: { status, waiting_for } }: { run: Pick<Run, 'status' | 'waiting_for'> }) => {
  const isWaiting = waiting_for !== null && waiting_for !== 'person';
  return (
    <Chip tone={isWaiting ? 'warn' : CHIP_TONES[status]}>
      {isWaiting ? WAITING_NAMES[waiting_for] : STATUS_NAMES[status]}
    </Chip>
  );
};

export const STEP_STATES: Record<RunStep['status'], string> = {
  in_progress: 'Running',
  waiting: 'Waiting',
  completed: 'Completed',
  failed: 'Failed',
  skipped: 'Skipped',
};

const TRIGGER_NAMES: Partial<Record<RunRow['trigger_type'], string>> = {
  'manual-trigger': 'Manual',
  'ai-trigger': 'The AI',
  'cron-trigger': 'Schedule',
  'form-trigger': 'Form',
};

/** Returns what starts a workflow, as people say it: Ticket created. */
export const triggerNameOf = (type: RunRow['trigger_type']): string =>
  TRIGGER_NAMES[type] ?? `${type.charAt(0).toUpperCase()}${type.slice(1).replaceAll('-', ' ')}`;

export const isActive = ({ status }: Pick<Run, 'status'>): boolean => status === 'idle' || status === 'in_progress';
