import type { HistoryItem } from '../../../api/caches';
import { shownClock } from '../../../ui/times/time';
import { typeNameOf } from './items';

/** Each thing that happened, with who did it. */
export const HappenedItems = ({ items }: { items: HistoryItem[] }) => (
  <ul className="mt-1 space-y-0.5">
    {items.map((item) => (
      <li key={item.id}>
        {shownClock(item.created_at)} {sentenceOf(item)}
      </li>
    ))}
  </ul>
);

function sentenceOf({ actor, event }: HistoryItem): string {
  const who = actor?.name ?? actor?.kind;
  const what = typeNameOf(event);
  return `${what}${detailOf(event)}${who ? `, by ${who}` : ''}`;
}

function detailOf(event: HistoryItem['event']): string {
  if ('tag_name' in event) return ` “${event.tag_name}”`;
  if ('metric' in event) return ` (${event.metric.replaceAll('_', ' ')})`;
  if (event.type === 'status_changed') return ` to ${event.to.replaceAll('_', ' ')}`;
  if (event.type === 'handoff' && event.reason !== null) return `: ${event.reason.replaceAll('_', ' ')}`;
  if (event.type === 'csat_submitted') return `: ${event.score} of 5`;
  return '';
}
