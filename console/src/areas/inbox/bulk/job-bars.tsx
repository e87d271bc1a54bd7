import { useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import type { InboxRow } from '../../../api/caches';
import { api, dataOf } from '../../../api/client';
import { rowsOf } from '../../../api/inbox-lists';
import { Button } from '../../../ui/parts';
import { contactNameOf } from '../session-row';
import { type Job, type Outcome, removeJob } from './jobs';

const POLL_MS = 700;
const DONE_SHOWN_MS = 8_000;

/** The changes of many conversations that run, and how those ended that have. */
export const JobBars = ({ orgId, jobs }: { orgId: string; jobs: Job[] }) =>
  jobs.map((job) => <JobBar key={job.id} orgId={orgId} job={job} />);

interface BarProps {
  orgId: string;
  job: Job;
}

const JobBar = ({ orgId, job }: BarProps) => {
  const progress = useProgress(job);
  const isDone = progress.data?.state === 'done' && progress.data.failed === 0;
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => removeJob(orgId, job.id), DONE_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isDone, orgId, job.id]);
  const { total = 0, done = 0 } = progress.data ?? {};
  return (
    <section aria-label={job.does} className="border-b border-line bg-sunken px-3 py-2">
      <div className="flex items-center gap-2">
        <p role="status" className="min-w-0 flex-1 truncate">
          {job.does}: {progress.data === undefined ? 'starting' : sentenceOf(progress.data)}
        </p>
        {progress.error !== null && <Button onClick={() => void progress.refetch()}>Try again</Button>}
        {(progress.data?.state === 'done' || progress.error !== null) && (
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => removeJob(orgId, job.id)}
            className="grid size-6 place-items-center rounded text-quiet hover:bg-hover hover:text-text"
          >
            <X size={14} aria-hidden="true" />
          </button>
        )}
      </div>
      <progress
        aria-label="Progress"
        max={Math.max(total, 1)}
        value={done}
        className="mt-1 block h-1.5 w-full accent-(--accent)"
      />
      {progress.error !== null && (
        <p role="alert" className="text-xs text-bad-text">
          {progress.error.message}
        </p>
      )}
      {progress.data?.state === 'done' && <Failures {...progress.data} />}
    </section>
  );
};

function useProgress(job: Job) {
  const client = useQueryClient();
  const progress = useQuery({
    queryKey: ['getSessionJob', job.id],
    queryFn: (): Promise<Outcome> => dataOf(api.GET('/jobs/{id}', { params: { path: { id: job.id } } })),
    initialData: job.outcome,
    staleTime: 0,
    enabled: job.outcome === undefined,
    refetchInterval: ({ state }) => (state.error !== null || state.data?.state === 'done' ? false : POLL_MS),
  });
  const isEnded = progress.data?.state === 'done';
  useEffect(() => {
    if (isEnded) void client.invalidateQueries({ queryKey: ['countInbox'] });
  }, [client, isEnded]);
  return progress;
}

function sentenceOf({ state, total, done, failed }: Outcome): string {
  if (state === 'running') return `${done.toLocaleString()} of ${total.toLocaleString()}`;
  const changed = `${(done - failed).toLocaleString()} done`;
  return failed === 0 ? changed : `${changed}, ${failed.toLocaleString()} not`;
}

/** Why some were not changed, by reason. The API names the first hundred. */
const Failures = ({ errors, failed }: Outcome) => {
  const client = useQueryClient();
  if (failed === 0) return null;
  const rows = new Map<string, InboxRow>();
  for (const [, list] of client.getQueriesData<Parameters<typeof rowsOf>[0]>({ queryKey: ['listInbox'] }))
    for (const row of list === undefined ? [] : rowsOf(list)) rows.set(row.id, row);
  const nameOf = (id: string) => {
    const row = rows.get(id);
    return row === undefined ? `…${id.slice(-6)}` : contactNameOf(row);
  };
  return (
    <ul className="mt-1 max-h-32 space-y-1 overflow-y-auto text-xs">
      {Object.entries(Object.groupBy(errors, ({ error = '' }) => error)).map(([reason, failures = []]) => (
        <li key={reason} className="text-bad-text">
          {reason}: {failures.map(({ id }) => nameOf(id)).join(', ')}
        </li>
      ))}
      {failed > errors.length && <li className="text-quiet">and {failed - errors.length} more</li>}
    </ul>
  );
};
