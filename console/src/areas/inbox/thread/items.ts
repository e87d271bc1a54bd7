import type { HistoryItem } from '../../../api/caches';

const SAID = ['message', 'workflow_message', 'sequence_message', 'human_agent_comment'];

/** Returns whether an item is something that somebody said. */
export const isSaid = ({ event }: HistoryItem): boolean => SAID.includes(event.type);

/** Returns the text of an item that somebody said, and null once it is redacted. */
export const textOf = ({ event }: HistoryItem): string | null =>
  'content' in event && event.content !== null && typeof event.content === 'object' ? event.content.text : null;

/** Returns whether a member wrote an item. */
export const isBy = ({ actor }: HistoryItem, memberId: number | undefined): boolean =>
  actor?.kind === 'member' && actor.id === memberId;

/** Returns the name of who did something, if there is one: API key Shop. */
export const actorNameOf = ({ actor }: HistoryItem): string | undefined =>
  actor?.name == null ? undefined : actor.kind === 'key' ? `API key ${actor.name}` : actor.name;

/** Returns who said an item. */
export function authorOf(item: HistoryItem): string {
  const { event } = item;
  if (event.type === 'workflow_message') return 'Workflow';
  if (event.type === 'sequence_message') return 'Sequence';
  if (event.type === 'human_agent_comment') return event.sender_name ?? actorNameOf(item) ?? 'Team';
  if (event.type !== 'message') return '';
  if (event.sender.type === 'ai') return event.sender_name ?? 'AI';
  return event.sender_name ?? actorNameOf(item) ?? (event.sender.type === 'contact' ? 'Customer' : 'Team');
}

/** What happened, in words: returned to AI. */
export const typeNameOf = ({ type }: HistoryItem['event']): string => type.replaceAll('_', ' ').replace(/\bai\b/, 'AI');
