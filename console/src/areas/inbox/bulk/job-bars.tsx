import { useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { api, dataOf } from '../../../api/client';
import { Button } from '../../../ui/parts';
import { Failures, type FailuresProps } from './failures';
import { type Job, type Outcome, removeJob } from './jobs';

const POLL_MS = 700;
const DONE_SHOWN_MS = 8_000;

interface BarsProps extends Pick<FailuresProps, 'kind'> {
  orgId: string;
  jobs: Job[];
}

/** The running jobs on conversations or runs, and the outcomes of ended ones. */
export const JobBars = ({ jobs, ...shared }: BarsProps) =>
  jobs.map((job) => <JobBar key={job.id} job={job} {...shared} />);

const JobBar = ({ orgId, kind, job }: Omit<BarsProps, 'jobs'> & { job: Job }) => {
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
      {progress.data?.state === 'done' && <Failures kind={kind} {...progress.data} />}
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
