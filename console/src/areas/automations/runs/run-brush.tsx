import { useQuery } from '@tanstack/react-query';
import { type RunFilters, type RunRow, runStatsQuery } from '../../../api/runs';
import { Chart } from '../../../ui/charts/chart';
import { failureOf } from '../../../ui/parts';
import { STATUS_NAMES, STATUS_TONES } from '../states';

/** From the bottom up: what asks for attention is at the bottom of each bar. */
const ORDER: RunRow['status'][] = ['failed', 'canceled', 'in_progress', 'idle', 'completed'];

interface BrushProps {
  search: RunFilters;
  onRange: (from: string, to: string) => void;
}

/** Runs over time by their state. A part of it that is chosen with the pointer becomes the range of the list. */
export const RunBrush = ({ search: { workflow_id, from, to }, onRange }: BrushProps) => {
  const stats = useQuery(runStatsQuery({ workflow_id, from, to }));
  const failure = failureOf(stats);
  if (failure && stats.data === undefined) return failure;
  const { buckets, to: end } = stats.data ?? { buckets: [], to: '' };
  const times = buckets.map(({ at }) => at);
  /** The end of a chosen part is that of its last bar. */
  const choose = (first: string, last: string) => onRange(first, times[times.indexOf(last) + 1] ?? end);
  return (
    <div className="min-h-48 shrink-0 border-b border-line px-4 pt-2 pb-1">
      {failure}
      {stats.data !== undefined && (
        <Chart
          label={`Runs by their state${from === undefined ? ' of the last day' : ''}`}
          times={times}
          series={ORDER.map((status) => ({
            name: STATUS_NAMES[status].toLowerCase(),
            tone: STATUS_TONES[status],
            values: buckets.map((bucket) => bucket[status]),
          }))}
          onRange={choose}
        />
      )}
    </div>
  );
};
