import { useState } from 'react';
import type { Run, RunStep } from '../../../api/runs';
import { AskDialog } from '../../../ui/dialogs/ask-dialog';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button } from '../../../ui/parts';
import { isActive } from '../states';
import { useRunChanges } from './changes';
import { RerunDialog } from './rerun-dialog';
import { RetryDialog } from './retry-dialog';

type Asked = 'retry' | 'skip' | 'cancel' | 'rerun';

/** What can be done with a run. */
export const RunActions = ({ run, steps }: { run: Run; steps: RunStep[] }) => {
  const [asked, ask] = useState<Asked>();
  const { retry, cancel } = useRunChanges(run);
  const failed = run.waiting_for === 'person' ? steps.findLast(({ status }) => status === 'failed') : undefined;
  const close = () => ask(undefined);
  const mayRetry = failed !== undefined && failed.max_attempts !== null;
  return (
    <div className="flex flex-wrap justify-end gap-x-2 gap-y-1">
      {mayRetry && (
        <Button look="main" onClick={() => ask('retry')}>
          Retry
        </Button>
      )}
      {failed !== undefined && <Button onClick={() => ask('skip')}>Skip the step</Button>}
      {isActive(run) && <Button onClick={() => ask('cancel')}>Cancel</Button>}
      <Button onClick={() => ask('rerun')}>Run again</Button>
      <p className="basis-full text-right text-xs text-quiet">
        {mayRetry && 'Retry continues this run at the failed step. '}
        Run again begins a new run from the first step.
      </p>
      {asked === 'retry' && failed !== undefined && <RetryDialog run={run} step={failed} onClose={close} />}
      {asked === 'skip' && failed !== undefined && (
        <AskDialog
          title={`Skip ${failed.name ?? failed.id}`}
          text="The run continues behind the failed step. Steps that use its output get null."
          field="Reason (optional)"
          action="Skip the step"
          onAnswer={(reason) => retry.mutateAsync({ skip: true, ...(reason !== '' && { reason }) })}
          onClose={close}
        />
      )}
      {asked === 'cancel' && (
        <ConfirmDialog title="Cancel the run" action="Cancel the run" onConfirm={() => cancel.mutate()} onClose={close}>
          It ends here. A step in progress is still completed. This cannot be undone.
        </ConfirmDialog>
      )}
      {asked === 'rerun' && <RerunDialog run={run} onClose={close} />}
    </div>
  );
};
