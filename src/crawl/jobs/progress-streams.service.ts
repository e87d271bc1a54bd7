import type { Db } from '../../db/connect.ts';
import { crawlJobJson } from './schema.ts';
import { type JobRow, listJobsByIds } from './shared.queries.ts';

const POLL_MS = 1_000;

/** Receives the bytes of a stream. */
interface Sink {
  write(bytes: Buffer): boolean;
  end(): void;
}

interface Follower {
  orgId: string;
  jobId: string;
  sink: Sink;
  isFull: boolean;
  /** The last data sent to the client. */
  lastSent: string;
}

export interface ProgressStreams {
  /** Sends the crawl's current state, then every change of it. Ends the stream with the crawl. */
  follow(orgId: string, job: JobRow, sink: Sink): { resume(): void; stop(): void };
  close(): void;
}

/** Polls all crawls followed by streams of this process once a second, in one query. */
export function createProgressStreams(db: Db, onError: (error: unknown) => void): ProgressStreams {
  const followers = new Set<Follower>();
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking || followers.size === 0) return;
    isLooking = true;
    try {
      const jobs = await listJobsByIds(db, [...followers]);
      const byId = new Map(jobs.map((job) => [job.id, job]));
      for (const follower of followers) {
        const job = byId.get(follower.jobId);
        if (job === undefined) follower.sink.end();
        else tell(follower, job);
      }
    } catch (error) {
      onError(error);
    } finally {
      isLooking = false;
    }
  }

  function tell(follower: Follower, job: JobRow): void {
    if (follower.isFull) return;
    const data = crawlJobJson(job);
    if (data !== follower.lastSent) {
      follower.lastSent = data;
      follower.isFull = !follower.sink.write(Buffer.from(`event: progress\ndata: ${data}\n\n`));
    }
    if (job.completed_at !== null) follower.sink.end();
  }

  const looking = setInterval(() => void look(), POLL_MS).unref();

  return {
    follow(orgId, job, sink) {
      const follower: Follower = { orgId, jobId: job.id, sink, isFull: false, lastSent: '' };
      followers.add(follower);
      queueMicrotask(() => tell(follower, job)); // the caller must first receive the function to stop it
      return {
        resume() {
          follower.isFull = false;
        },
        stop: () => void followers.delete(follower),
      };
    },
    close: () => clearInterval(looking),
  };
}
