import type { HistoryItem } from '../../../api/caches';
import { shownClock } from '../../../ui/times/time';
import { actorNameOf, typeNameOf } from './items';

/** The events of a conversation, with their actors. */
export const HappenedItems = ({ items }: { items: HistoryItem[] }) => (
  <ul className="mt-1 space-y-0.5">
    {items.map((item) => (
      <li key={item.id}>
        {shownClock(item.created_at)} {sentenceOf(item)}
      </li>
    ))}
  </ul>
);

type ActorKind = NonNullable<HistoryItem['actor']>['kind'];

const NAMELESS: Record<ActorKind, string> = {
  member: 'a member',
  key: 'the API',
  workflow: 'a workflow',
  ai: 'the AI',
  contact: 'the customer',
  system: 'Switchboard',
};

/** The words before the name of who did it. */
const ARTICLES: Partial<Record<ActorKind, string>> = { key: 'the ', workflow: 'the workflow ' };

function sentenceOf(item: HistoryItem): string {
  const { actor, event } = item;
  const what = `${typeNameOf(event)}${detailOf(event)}`;
  if (actor === null) return what;
  const name = actorNameOf(item);
  return `${what}, by ${name === undefined ? NAMELESS[actor.kind] : `${ARTICLES[actor.kind] ?? ''}${name}`}`;
}

function detailOf(event: HistoryItem['event']): string {
  if ('tag_name' in event) return ` “${event.tag_name}”`;
  if ('metric' in event) return ` (${event.metric.replaceAll('_', ' ')})`;
  if (event.type === 'status_changed') return ` to ${event.to.replaceAll('_', ' ')}`;
  if (event.type === 'handoff' && event.reason !== null) return `: ${event.reason.replaceAll('_', ' ')}`;
  if (event.type === 'csat_submitted') return `: ${event.score} of 5`;
  return '';
}
