import { readEvents } from './event-stream';

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 30_000;

/** Calls the listener whenever a run has changed, until the run has ended. Returns what stops it. */
export function followRun(runId: string, onChange: () => void): () => void {
  const stopped = new AbortController();
  void follow(runId, onChange, stopped.signal);
  return () => stopped.abort();
}

async function follow(runId: string, onChange: () => void, signal: AbortSignal): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    try {
      const { body, status } = await fetch(`/runs/${runId}/events`, {
        headers: { accept: 'text/event-stream' },
        signal,
      });
      if (status === 401) window.dispatchEvent(new Event('signed-out'));
      if (status >= 400 && status < 500 && status !== 429) return;
      if (status === 200 && body !== null) {
        let last: string | undefined;
        for await (const { data } of readEvents(body, () => undefined)) {
          if (data === '') continue;
          last = data;
          waitMs = FIRST_WAIT_MS;
          onChange();
        }
        if (last !== undefined && hasEnded(last)) return;
      }
    } catch {
      if (signal.aborted) return;
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

const hasEnded = (data: string): boolean => {
  const { status } = JSON.parse(data) as { status: string };
  return status !== 'idle' && status !== 'in_progress';
};
