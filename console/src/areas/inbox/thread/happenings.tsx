import { useState } from 'react';
import type { HistoryItem } from '../../../api/caches';
import { lazily } from '../../../ui/lazily';
import { typeNameOf } from './items';

const HappenedItems = lazily(async () => (await import('./happened-items')).HappenedItems);

const MOST_NAMED = 3;

/** What happened between two messages, folded. */
export const Happenings = ({ items }: { items: HistoryItem[] }) => {
  const [isOpen, setOpen] = useState(false);
  const names = [...new Set(items.map(({ event }) => typeNameOf(event)))];
  const summary = names.slice(0, MOST_NAMED).join(', ') + (names.length > MOST_NAMED ? ' …' : '');
  return (
    <details
      className="py-1.5 text-center text-xs text-quiet"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="inline-block cursor-pointer rounded px-2 py-0.5 first-letter:uppercase hover:bg-hover">
        {items.length === 1 ? summary : `${summary} · ${items.length}`}
      </summary>
      {isOpen && <HappenedItems items={items} />}
    </details>
  );
};
