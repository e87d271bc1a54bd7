import type { RunRow } from '../../api/runs';
import { shownUntil } from './times';

/** Where a run is: its step, the attempt, and when it continues. */
export const StepNow = ({ run: { step, error } }: { run: Pick<RunRow, 'step' | 'error'> }) => {
  if (step === null) return <span className="block truncate text-quiet">{error}</span>;
  const { name, id, attempts, next_try_at, until, last_error, state } = step;
  const goesOn = next_try_at ?? until;
  const said = [
    attempts > 1 || next_try_at !== null || state === 'failed' ? `attempt ${attempts}` : undefined,
    goesOn === null ? undefined : `${next_try_at === null ? 'continues' : 'next'} ${shownUntil(goesOn)}`,
  ].filter((part) => part !== undefined);
  return (
    <span className="block min-w-0">
      <span className="flex gap-2">
        <span className="truncate">{name ?? id}</span>
        {said.length > 0 && <span className="shrink-0 text-quiet tabular-nums">{said.join(', ')}</span>}
      </span>
      {last_error !== null && <span className="block truncate text-xs text-bad-text">{last_error}</span>}
    </span>
  );
};
