import { useState } from 'react';
import type { RunFilters, RunRow } from '../../../api/runs';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { ClearSelection } from '../../../ui/lists/clear-selection';
import type { Selection } from '../../../ui/lists/selection';
import { Button } from '../../../ui/parts';
import { StateButton } from '../../../ui/state-button';
import { isActive } from '../states';
import { type RunChange, useRunChange } from './bulk';

interface BarProps {
  jobList: string;
  filters: RunFilters;
  selection: Selection;
  rows: RunRow[];
  /** Whether the list has runs that were not read. */
  hasMore: boolean;
}

/** What can be done with the selected runs. */
export const RunBulkBar = ({ jobList, filters, selection, rows, hasMore }: BarProps) => {
  const [asked, ask] = useState<RunChange>();
  const change = useRunChange(jobList, filters, selection);
  const chosen = rows.filter(({ id }) => selection.ids.has(id));
  const { isAll } = selection;
  const isLess = hasMore || selection.size < rows.length;
  return (
    <section
      aria-label="Selected runs"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-selected px-4 py-1.5"
    >
      <ClearSelection onClear={selection.clear} />
      <p role="status" className="font-medium">
        {isAll ? 'All of the list' : `${selection.size} selected`}
      </p>
      {!isAll && isLess && (
        <Button look="quiet" aria-keyshortcuts="Control+a" onClick={selection.addAll}>
          All of the list
        </Button>
      )}
      <span className="flex-1" />
      <StateButton
        disabled={change.isPending}
        forbidden={!isAll && !chosen.some(({ status }) => status === 'failed') && 'None of them has failed'}
        onClick={() => ask({ does: 'Retry', action: { type: 'retry' } })}
      >
        Retry
      </StateButton>
      <StateButton
        disabled={change.isPending}
        forbidden={!isAll && !chosen.some(isActive) && 'All of them have ended'}
        onClick={() => ask({ does: 'Cancel', action: { type: 'cancel' } })}
      >
        Cancel
      </StateButton>
      <Button
        disabled={change.isPending}
        onClick={() => ask({ does: 'Run again', action: { type: 'rerun', version: 'latest' } })}
      >
        Run again
      </Button>
      {asked !== undefined && (
        <ConfirmDialog
          title={`${asked.does}: ${isAll ? 'all runs of the list' : `${selection.size} runs`}`}
          action={CONFIRMED[asked.action.type]}
          onConfirm={() => change.mutate(asked)}
          onClose={() => ask(undefined)}
        >
          {EFFECTS[asked.action.type]}
        </ConfirmDialog>
      )}
    </section>
  );
};

const CONFIRMED = { retry: 'Retry them', cancel: 'Cancel them', rerun: 'Run them again' };
const EFFECTS = {
  retry: 'Each failed run continues from its failed step. Runs that have not failed say so and stay as they are.',
  cancel: 'Runs that have not ended end. A step in progress is still completed. This cannot be undone.',
  rerun: 'Each begins again as a new run of the active version, with what its trigger told. Its effects happen again.',
};
