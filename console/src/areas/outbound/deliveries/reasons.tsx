import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type DeliveryFilters, reasonsQuery } from '../../../api/outbound';
import { Button } from '../../../ui/parts';
import { DELIVERY_STATUSES } from '../words';

const FEW = 4;
const MANY = 30;

interface ReasonsProps {
  filters: DeliveryFilters;
  onChoose: (chosen: Pick<DeliveryFilters, 'reason' | 'status'>) => void;
}

/** Why deliveries are as they are, the most frequent reasons first. Each leads to its deliveries. */
export const Reasons = ({ filters, onChoose }: ReasonsProps) => {
  const [isOpen, open] = useState(false);
  const { data } = useQuery(reasonsQuery(filters));
  if (data === undefined || data.items.length === 0 || filters.reason !== undefined) return null;
  const shown = data.items.slice(0, isOpen ? MANY : FEW);
  return (
    <section aria-label="Reasons" className="shrink-0 border-b border-line px-4 py-2">
      <ul className="flex flex-wrap items-center gap-1.5">
        {shown.map(({ reason, status, count }) => (
          <li key={`${status} ${reason}`} className="max-w-full">
            <button
              type="button"
              onClick={() => onChoose({ reason, status })}
              title={`${DELIVERY_STATUSES[status].name}: ${reason}`}
              className="flex h-6 max-w-full items-center gap-1.5 rounded-md border border-line px-2 text-xs hover:bg-hover"
            >
              <span className="truncate">{reason}</span>
              <span className="shrink-0 text-quiet">{DELIVERY_STATUSES[status].name.toLowerCase()}</span>
              <span className="shrink-0 font-medium tabular-nums">{count.toLocaleString()}</span>
            </button>
          </li>
        ))}
        {data.items.length > FEW && (
          <li>
            <Button look="quiet" className="h-6 px-2 text-xs" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
              {isOpen ? 'Fewer reasons' : `${data.items.length - FEW} more reasons`}
            </Button>
          </li>
        )}
      </ul>
      {isOpen && data.items.length > MANY && (
        <p className="mt-1 text-xs text-quiet">{data.items.length - MANY} rarer reasons are not shown.</p>
      )}
      {data.is_at_least && (
        <p className="mt-1 text-xs text-quiet">The newest {data.counted.toLocaleString()} with a reason are counted.</p>
      )}
    </section>
  );
};
