import { useSyncExternalStore } from 'react';
import type { Schemas } from '../../../api/client';

/** A change of many conversations, as this browser has started it. */
export interface Job {
  id: string;
  /** What it does, such as "Close". */
  does: string;
  /** The outcome of one that has ended at once. */
  outcome?: Outcome;
}

export type Outcome = Pick<Schemas['SessionJob'], 'state' | 'total' | 'done' | 'failed' | 'errors'>;

const listeners = new Set<() => void>();
const NONE: Job[] = [];
const read = new Map<string, Job[]>();

const keyOf = (orgId: string) => `switchboard-jobs-${orgId}`;

/** Jobs outlive the page: it shows them again once it is loaded again. */
function jobsOf(orgId: string): Job[] {
  const known = read.get(orgId);
  if (known !== undefined) return known;
  const stored = JSON.parse(localStorage.getItem(keyOf(orgId)) ?? '[]') as Job[];
  const jobs = stored.length === 0 ? NONE : stored;
  read.set(orgId, jobs);
  return jobs;
}

function setJobs(orgId: string, jobs: Job[]): void {
  read.set(orgId, jobs);
  localStorage.setItem(keyOf(orgId), JSON.stringify(jobs.filter(({ outcome }) => outcome === undefined)));
  for (const listener of listeners) listener();
}

export const addJob = (orgId: string, job: Job): void => setJobs(orgId, [...jobsOf(orgId), job]);
export const removeJob = (orgId: string, id: string): void =>
  setJobs(
    orgId,
    jobsOf(orgId).filter((job) => job.id !== id),
  );

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useJobs = (orgId: string): Job[] => useSyncExternalStore(subscribe, () => jobsOf(orgId));
