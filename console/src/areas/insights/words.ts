import type { Insight, Occurrence } from '../../api/insights';

type ChipTone = 'plain' | 'warn' | 'bad' | 'good';

export const STATUSES: Record<Insight['status'], { name: string; tone: ChipTone }> = {
  unresolved: { name: 'Unresolved', tone: 'warn' },
  resolved: { name: 'Resolved', tone: 'good' },
  archived: { name: 'Archived', tone: 'plain' },
};

export const SENTIMENTS: Record<NonNullable<Insight['sentiment']>, { name: string; tone: ChipTone }> = {
  angry: { name: 'Angry', tone: 'bad' },
  neutral: { name: 'Neutral', tone: 'plain' },
  happy: { name: 'Happy', tone: 'good' },
};

export const KINDS: Record<NonNullable<Occurrence['kind']>, string> = {
  problem: 'Problem',
  request: 'Request',
  complaint: 'Complaint',
  praise: 'Praise',
  question: 'Question',
};

/** Returns a number of conversations as words. */
export const shownConversations = (count: number): string =>
  `${count.toLocaleString()} ${count === 1 ? 'conversation' : 'conversations'}`;
