import type { InboxFilters } from './schema.ts';

interface BuiltInView {
  id: string;
  name: string;
  query: InboxFilters;
}

/** The views of every org. */
export const BUILT_IN_VIEWS: readonly BuiltInView[] = [
  { id: 'mine', name: 'Mine', query: { status: 'open', assignee: 'me' } },
  { id: 'unassigned', name: 'Unassigned', query: { status: 'open', answered_by: 'nobody' } },
  {
    id: 'waiting',
    name: 'Waiting',
    query: { status: 'open', waiting_on: 'human_agents', answered_by: 'people,nobody', order: 'waiting' },
  },
  { id: 'breaching', name: 'Breaching', query: { status: 'open', sla: 'warning,breached', order: 'sla' } },
  { id: 'snoozed', name: 'Snoozed', query: { status: 'snoozed' } },
  { id: 'ai', name: 'AI', query: { status: 'open', answered_by: 'ai' } },
  { id: 'all', name: 'All', query: { status: 'open' } },
  { id: 'closed', name: 'Closed', query: { status: 'closed' } },
];

/** Finds the query of a built-in view. */
export const findBuiltInQuery = (id: string): InboxFilters | undefined =>
  BUILT_IN_VIEWS.find((view) => view.id === id)?.query;

/** Returns whether a view shows each member another list. */
export const isPersonal = ({ assignee, unread }: InboxFilters): boolean => assignee === 'me' || unread !== undefined;
