import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWaking, type Waking } from '../../src/outbox/waking.ts';

const never = new AbortController().signal;

/** Runs a loop that looks for work, which lasts `ms`, and sleeps. Returns the times of its looks. */
function runLoop(waking: Waking, ms: number): number[] {
  const looks: number[] = [];
  void (async () => {
    for (;;) {
      const look = waking.look();
      looks.push(Date.now());
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      await waking.sleep(look, never);
    }
  })();
  return looks;
}

describe('the sleep of the relay’s loops', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('wakes one loop if all sleep', async () => {
    const waking = createWaking(2);
    const loops = [runLoop(waking, 0), runLoop(waking, 0)];
    await vi.advanceTimersByTimeAsync(100);
    waking.wakeUp();
    await vi.advanceTimersByTimeAsync(100);
    expect(loops).toEqual([[0, 100], [0]]);
  });

  it('leaves work to the loop that is about to look again', async () => {
    const waking = createWaking(2);
    const loops = [runLoop(waking, 5), runLoop(waking, 0)];
    await vi.advanceTimersByTimeAsync(2);
    waking.wakeUp();
    await vi.advanceTimersByTimeAsync(100);
    expect(loops).toEqual([[0, 5], [0]]);
  });

  it('wakes another loop if the one that works takes long', async () => {
    const waking = createWaking(2);
    const loops = [runLoop(waking, 50), runLoop(waking, 0)];
    await vi.advanceTimersByTimeAsync(2);
    waking.wakeUp();
    await vi.advanceTimersByTimeAsync(30);
    expect(loops).toEqual([[0], [0, 12]]);
  });

  it('looks again without a wake-up, in case one was lost', async () => {
    const waking = createWaking(1);
    const looks = runLoop(waking, 0);
    await vi.advanceTimersByTimeAsync(2_500);
    expect(looks).toEqual([0, 1_000, 2_000]);
  });
});
