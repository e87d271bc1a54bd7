import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;

/** Waits until the probe returns true. A failing probe, for example during a server's absence, is repeated. */
export async function until(what: string, probe: () => Promise<boolean>, limitMs = 60_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  let reason: unknown;
  while (performance.now() < deadline) {
    try {
      if (await probe()) return;
      reason = undefined;
    } catch (error) {
      reason = error;
    }
    await sleep(POLL_MS);
  }
  throw new Error(`Waited ${limitMs / 1000} s in vain until ${what}`, { cause: reason });
}
