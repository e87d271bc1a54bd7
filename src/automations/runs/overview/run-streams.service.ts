import type { Db } from '../../../db/connect.ts';
import { notFound } from '../../../errors.ts';
import type { RunRef } from '../contract.ts';
import { listProgress, type ReadProgress } from './queries.ts';
import { runProgressJson } from './schema.ts';
import { rowOf } from './service.ts';

const POLL_MS = 1_000;
/** Between two looks, this many times the length of the former: runs of many steps take long to count. */
const REST = 10;

/** Receives the bytes of a stream. */
interface Sink {
  write(bytes: Buffer): boolean;
  end(): void;
}

interface Follower extends RunRef {
  sink: Sink;
  isFull: boolean;
  /** The last data sent to the client. */
  lastSent: string;
}

export interface RunStreams {
  /** Sends the run's current state, then every change of it. Ends the stream with the run. */
  follow(run: ReadProgress, sink: Sink): { resume(): void; stop(): void };
  close(): void;
}

/** Returns a run with the progress of its steps. Throws notFound. */
export async function getProgress(db: Db, ref: RunRef): Promise<ReadProgress> {
  const [run] = await listProgress(db, [ref]);
  if (run === undefined) throw notFound('run');
  return run;
}

/** Polls all runs followed by streams of this process once a second, in one query. */
export function createRunStreams(db: Db, onError: (error: unknown) => void): RunStreams {
  const followers = new Set<Follower>();
  let isLooking = false;
  let restUntil = 0;

  async function look(): Promise<void> {
    const began = performance.now();
    if (isLooking || followers.size === 0 || began < restUntil) return;
    isLooking = true;
    try {
      const asked = [...followers];
      const refs = new Map(asked.map(({ orgId, runId }) => [runId, { orgId, runId }]));
      const byId = new Map((await listProgress(db, [...refs.values()])).map((run) => [run.id, run]));
      for (const follower of asked) {
        const run = byId.get(follower.runId);
        if (run === undefined) follower.sink.end();
        else tell(follower, run);
      }
    } catch (error) {
      onError(error);
    } finally {
      const ended = performance.now();
      restUntil = ended + REST * (ended - began);
      isLooking = false;
    }
  }

  function tell(follower: Follower, run: ReadProgress): void {
    if (follower.isFull || !followers.has(follower)) return;
    const { steps_begun, steps_ended, attempts } = run;
    const data = runProgressJson({ ...rowOf(run), steps_begun, steps_ended, attempts });
    if (data !== follower.lastSent) {
      follower.lastSent = data;
      follower.isFull = !follower.sink.write(Buffer.from(`event: progress\ndata: ${data}\n\n`));
    }
    if (run.status !== 'idle' && run.status !== 'in_progress') follower.sink.end();
  }

  const looking = setInterval(() => void look(), POLL_MS).unref();

  return {
    follow(run, sink) {
      const follower: Follower = { orgId: run.org_id, runId: run.id, sink, isFull: false, lastSent: '' };
      followers.add(follower);
      queueMicrotask(() => tell(follower, run)); // the caller must first receive the function to stop it
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
