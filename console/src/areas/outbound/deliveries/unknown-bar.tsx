import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, dataOf } from '../../../api/client';
import type { DeliveryFilters } from '../../../api/outbound';
import { say } from '../../../app/undo';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button } from '../../../ui/parts';
import { useStoredId } from '../../../ui/stored-id';
import { Failures } from '../../inbox/bulk/failures';

type Outcome = 'sent' | 'failed';

const POLL_MS = 700;

interface BarProps {
  orgId: string;
  filters: DeliveryFilters;
}

/** Settles all unknown deliveries of the list at once, by a job that continues when the page is closed. */
export const UnknownBar = ({ orgId, filters }: BarProps) => {
  const [asked, ask] = useState<Outcome>();
  const [jobId, follow] = useStoredId(`switchboard-delivery-job-${orgId}`);
  const start = useMutation({
    mutationFn: (outcome: Outcome) => {
      const { order: _, ...query } = filters;
      return dataOf(api.POST('/deliveries/bulk', { body: { query, action: { type: 'resolve', outcome } } }));
    },
    onSuccess: (answer) => 'job_id' in answer && follow(answer.job_id),
    onError: (error) => say(error.message, { isError: true }),
  });
  const isListed = filters.status === 'unknown' || filters.outcome === 'unknown';
  if (jobId !== undefined) return <JobBar id={jobId} onDone={() => follow(undefined)} />;
  if (!isListed) return null;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-warn px-4 py-2 text-warn-text">
      <p className="min-w-0 flex-1">
        Nobody knows whether these were sent. Look for them at the provider, then settle one or all.
      </p>
      <Button className="text-text" disabled={start.isPending} onClick={() => ask('sent')}>
        All were sent
      </Button>
      <Button className="text-text" disabled={start.isPending} onClick={() => ask('failed')}>
        None was sent
      </Button>
      {asked !== undefined && (
        <ConfirmDialog
          title={asked === 'sent' ? 'All of these were sent' : 'None of these was sent'}
          action="Settle all"
          onConfirm={() => start.mutate(asked)}
          onClose={() => ask(undefined)}
        >
          All unknown deliveries that meet the filters are recorded as {asked === 'sent' ? 'sent' : 'failed'}, also
          those further down. Nothing is sent by it. This cannot be undone.
        </ConfirmDialog>
      )}
    </div>
  );
};

const JobBar = ({ id, onDone }: { id: string; onDone: () => void }) => {
  const client = useQueryClient();
  const job = useQuery({
    queryKey: ['getSessionJob', id],
    queryFn: () => dataOf(api.GET('/jobs/{id}', { params: { path: { id } } })),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.error !== null || state.data?.state === 'done' ? false : POLL_MS),
  });
  const isDone = job.data?.state === 'done';
  useEffect(() => {
    if (!isDone) return;
    void client.invalidateQueries({ queryKey: ['listDeliveries'] });
    void client.invalidateQueries({ queryKey: ['countDeliveryReasons'] });
  }, [client, isDone]);
  const { total = 0, done = 0, failed = 0 } = job.data ?? {};
  return (
    <section aria-label="Settling unknown deliveries" className="shrink-0 border-b border-line bg-sunken px-4 py-2">
      <div className="flex items-center gap-2">
        <p role="status" className="min-w-0 flex-1">
          {isDone
            ? `${(done - failed).toLocaleString()} settled${failed > 0 ? `, ${failed.toLocaleString()} not` : ''}`
            : `${done.toLocaleString()} of ${total.toLocaleString()} settled`}
        </p>
        {job.error !== null && <Button onClick={() => void job.refetch()}>Try again</Button>}
        {(isDone || job.error !== null) && (
          <Button look="quiet" onClick={onDone}>
            Dismiss
          </Button>
        )}
      </div>
      <progress
        aria-label="Progress"
        max={Math.max(total, 1)}
        value={isDone ? Math.max(total, 1) : done}
        className="mt-1 block h-1.5 w-full accent-(--accent)"
      />
      {job.error !== null && (
        <p role="alert" className="text-xs text-bad-text">
          {job.error.message}
        </p>
      )}
      {isDone && job.data !== undefined && <Failures kind="delivery" {...job.data} />}
    </section>
  );
};
