import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '../../../api/client';
import { ShowMore } from '../../../ui/lists/show-more';
import { Chip, failureOf, Skeleton } from '../../../ui/parts';
import { ProgressBar } from '../../../ui/progress';
import { Ago } from '../../../ui/times/ago';
import { useTick } from '../../../ui/times/time';
import { type Job, STATES } from './words';

const TICK_MS = 30_000;

interface JobListProps<One extends Job> {
  label: string;
  query: UseInfiniteQueryResult<InfiniteData<{ items: One[] }>>;
  /** The words of an empty list. */
  empty: string;
  children: (job: One) => ReactNode;
}

/** Jobs on the server, the newest first. */
export const JobList = <One extends Job>({ label, query, empty, children }: JobListProps<One>) => {
  const jobs = query.data?.pages.flatMap(({ items }) => items) ?? [];
  useTick(TICK_MS);
  return (
    <>
      {failureOf(query)}
      {query.isPending && <Skeleton rows={2} />}
      {query.isSuccess && jobs.length === 0 && <p className="p-4 text-quiet">{empty}</p>}
      {jobs.length > 0 && (
        <ul aria-label={label}>
          {jobs.map((job) => (
            <li key={job.id} className="border-b border-line px-4 py-3 last:border-0">
              {children(job)}
            </li>
          ))}
        </ul>
      )}
      <ShowMore query={query} look="quiet" className="m-2">
        Show earlier ones
      </ShowMore>
    </>
  );
};

interface JobRowProps {
  job: Job;
  name: string;
  /** How far it is, or what it has come to. */
  says: string;
  /** What can be done with it. */
  children?: ReactNode;
}

/** A job: its name, its progress, its outcome, and the reason of a failure. */
export const JobRow = ({ job, name, says, children }: JobRowProps) => (
  <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
    <div className="min-w-0 flex-1 basis-64">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        <span className="min-w-0 font-medium break-words">{name}</span>
        <Chip tone={STATES[job.status].tone}>{STATES[job.status].name}</Chip>
        <span className="text-xs text-quiet">
          <Ago at={job.created_at} />
          <Starter actor={job.actor} />
        </span>
      </p>
      <p role="status" className="text-quiet tabular-nums">
        {says}
      </p>
      {job.status === 'running' && <ProgressBar done={job.progress} total={1} />}
      {job.reason !== null && (
        <p className={`break-words ${job.status === 'failed' ? 'text-bad-text' : 'text-quiet'}`}>{job.reason}</p>
      )}
    </div>
    <div className="flex flex-wrap items-center gap-1 empty:hidden">{children}</div>
  </div>
);

const Starter = ({ actor: { kind, name } }: { actor: Schemas['Actor'] }) =>
  name === null ? null : <>, by {kind === 'key' ? `the API key ${name}` : name}</>;
