import type { HistoryItem } from '../../../api/caches';
import { shownClock } from '../../../ui/time';

const MOST_NAMED = 3;

/** What happened between two messages, folded. */
export const Happenings = ({ items }: { items: HistoryItem[] }) => {
  const names = [...new Set(items.map(({ event }) => event.type.replaceAll('_', ' ')))];
  const summary = names.slice(0, MOST_NAMED).join(', ') + (names.length > MOST_NAMED ? ' …' : '');
  return (
    <details className="py-1.5 text-center text-xs text-quiet">
      <summary className="inline-block cursor-pointer rounded px-2 py-0.5 first-letter:uppercase hover:bg-hover">
        {items.length === 1 ? summary : `${summary} · ${items.length}`}
      </summary>
      <ul className="mt-1 space-y-0.5">
        {items.map((item) => (
          <li key={item.id}>
            {shownClock(item.created_at)} {sentenceOf(item)}
          </li>
        ))}
      </ul>
    </details>
  );
};

function sentenceOf({ actor, event }: HistoryItem): string {
  const who = actor?.name ?? actor?.kind;
  const what = event.type.replaceAll('_', ' ');
  return `${what}${detailOf(event)}${who ? `, by ${who}` : ''}`;
}

function detailOf(event: HistoryItem['event']): string {
  if ('tag_name' in event) return ` “${event.tag_name}”`;
  if ('metric' in event) return ` (${event.metric.replaceAll('_', ' ')})`;
  if (event.type === 'status_changed') return ` to ${event.to.replaceAll('_', ' ')}`;
  if (event.type === 'handoff' && event.reason !== null) return `: ${event.reason}`;
  if (event.type === 'csat_submitted') return `: ${event.score} of 5`;
  return '';
}
