import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, dataOf } from '../../../api/client';
import { type Run, type RunStep, runQuery } from '../../../api/runs';
import { say } from '../../../app/undo';
import { AskDialog } from '../../../ui/ask-dialog';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { Button } from '../../../ui/parts';
import { isActive } from '../states';
import { RerunDialog } from './rerun-dialog';
import { RetryDialog } from './retry-dialog';

type Asked = 'retry' | 'skip' | 'cancel' | 'rerun';

/** What can be done with a run. */
export const RunActions = ({ run, steps }: { run: Run; steps: RunStep[] }) => {
  const [asked, ask] = useState<Asked>();
  const { retry, cancel, rerun } = useRunChanges(run);
  const failed = run.waiting_for === 'person' ? steps.findLast(({ status }) => status === 'failed') : undefined;
  const close = () => ask(undefined);
  return (
    <div className="flex flex-wrap gap-2">
      {failed !== undefined && failed.max_attempts !== null && (
        <Button look="main" onClick={() => ask('retry')}>
          Retry
        </Button>
      )}
      {failed !== undefined && <Button onClick={() => ask('skip')}>Skip the step</Button>}
      {isActive(run) && <Button onClick={() => ask('cancel')}>Cancel</Button>}
      <Button onClick={() => ask('rerun')}>Run again</Button>
      {asked === 'retry' && failed !== undefined && <RetryDialog step={failed} retry={retry} onClose={close} />}
      {asked === 'skip' && failed !== undefined && (
        <AskDialog
          title={`Skip ${failed.name ?? failed.id}`}
          text="The run goes on behind the failed step. Steps that use its output get null."
          field="Reason"
          action="Skip the step"
          onAnswer={(reason) => retry.mutate({ skip: true, ...(reason !== '' && { reason }) })}
          onClose={close}
        />
      )}
      {asked === 'cancel' && (
        <ConfirmDialog title="Cancel the run" action="Cancel the run" onConfirm={() => cancel.mutate()} onClose={close}>
          It ends here. A step in progress is still completed. This cannot be undone.
        </ConfirmDialog>
      )}
      {asked === 'rerun' && <RerunDialog run={run} rerun={rerun} onClose={close} />}
    </div>
  );
};

export interface RetryRequest {
  skip?: boolean;
  reason?: string;
  input?: Record<string, unknown>;
}
export interface RerunRequest {
  version: 'same' | 'latest';
  input?: Record<string, unknown>;
}

/** Changes of a run. Each request has one key: a repeated one has no second effect. */
function useRunChanges(run: Run) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const path = { id: run.workflow_id, runId: run.id };
  const params = () => ({ path, header: { 'idempotency-key': crypto.randomUUID() } });
  const refresh = () => client.invalidateQueries({ queryKey: runQuery(run.id).queryKey });
  const sayWhy = (error: Error) => say(error.message, { isError: true });
  const retry = useMutation({
    mutationFn: (body: RetryRequest) =>
      dataOf(api.POST('/workflows/{id}/runs/{runId}/retry', { params: params(), body })),
    onSuccess: refresh,
    onError: (error, { skip }) => skip === true && sayWhy(error), // else the dialog says it
  });
  const cancel = useMutation({
    mutationFn: () => dataOf(api.POST('/workflows/{id}/runs/{runId}/cancel', { params: params() })),
    onSuccess: refresh,
    onError: sayWhy,
  });
  const rerun = useMutation({
    mutationFn: (body: RerunRequest) =>
      dataOf(api.POST('/workflows/{id}/runs/{runId}/rerun', { params: params(), body })),
    onSuccess: ({ run_id }) => void navigate({ to: '/automations/runs/$runId', params: { runId: run_id } }),
    onError: sayWhy,
  });
  return { retry, cancel, rerun };
}

export type RetryMutation = ReturnType<typeof useRunChanges>['retry'];
export type RerunMutation = ReturnType<typeof useRunChanges>['rerun'];
