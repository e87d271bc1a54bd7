import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, dataOf } from '../../../api/client';
import { type Run, runQuery } from '../../../api/runs';
import { say } from '../../../app/undo';

interface RetryRequest {
  skip?: boolean;
  reason?: string;
  input?: Record<string, unknown>;
}
interface RerunRequest {
  version: 'same' | 'latest';
  input?: Record<string, unknown>;
}

/** Changes of a run. Each request has one key: a repeated one has no second effect. */
export function useRunChanges(run: Run) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const path = { id: run.workflow_id, runId: run.id };
  const params = () => ({ path, header: { 'idempotency-key': crypto.randomUUID() } });
  const refresh = () => void client.invalidateQueries({ queryKey: runQuery(run.id).queryKey });
  const sayWhy = (error: Error) => say(error.message, { isError: true });
  const retry = useMutation({
    mutationFn: (body: RetryRequest) =>
      dataOf(api.POST('/workflows/{id}/runs/{runId}/retry', { params: params(), body })),
    onSuccess: refresh,
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
  });
  return { retry, cancel, rerun };
}
