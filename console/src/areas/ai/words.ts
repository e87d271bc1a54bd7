import type { CallState, Turn } from '../../api/ai';

type Confident = Pick<Turn, 'score' | 'steps'>;

type ChipTone = 'plain' | 'warn' | 'bad' | 'good';

export const TURN_STATES: Record<Turn['state'], { name: string; tone: ChipTone }> = {
  waiting: { name: 'Waiting', tone: 'plain' },
  running: { name: 'Running', tone: 'plain' },
  answered: { name: 'Answered', tone: 'good' },
  asked: { name: 'Asked back', tone: 'plain' },
  handed_off: { name: 'Handed off', tone: 'warn' },
  skipped: { name: 'Said nothing', tone: 'plain' },
  superseded: { name: 'Overtaken', tone: 'plain' },
  canceled: { name: 'Canceled', tone: 'plain' },
};

export const CALL_STATES: Record<CallState, { name: string; tone: ChipTone }> = {
  proposed: { name: 'Proposed', tone: 'plain' },
  needs_confirmation: { name: 'Waits', tone: 'warn' },
  confirmed: { name: 'Confirmed', tone: 'plain' },
  running: { name: 'Running', tone: 'plain' },
  rejected: { name: 'Rejected', tone: 'plain' },
  expired: { name: 'Expired', tone: 'plain' },
  done: { name: 'Done', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  unknown: { name: 'Unknown', tone: 'bad' },
};

/** Returns how sure the AI was, beside what it answered from then: 1.41, answered from 0.62. */
export function confidenceOf({ score, steps }: Confident): string | undefined {
  if (score === null) return undefined;
  const threshold = steps.map(({ detail }) => detail.threshold).find((value) => typeof value === 'number');
  return `${score.toFixed(2)}${threshold === undefined ? '' : `, answered from ${threshold.toFixed(2)}`}`;
}

/** Returns a code of the API as words: No answer was found. */
export const shownCode = (code: string): string => {
  const words = code.replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};
