import { type Clock, install } from '@sinonjs/fake-timers';
import { createWaking, type Waking } from '../../src/outbox/waking.ts';

const never = new AbortController().signal;

/** Runs a loop that looks for work, which lasts `ms`, and sleeps. Returns the times of its looks. */
function runLoop(waking: Waking, ms: number): number[] {
  const looks: number[] = [];
  void (async () => {
    for (;;) {
      const pass = waking.beginPass();
      looks.push(Date.now());
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      await waking.sleep(pass, never);
    }
  })();
  return looks;
}

describe('the sleep of the relay’s loops', () => {
  let clock: Clock;
  beforeEach(() => {
    clock = install({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  });
  afterEach(() => clock.uninstall());

  it.each([
    { what: 'wakes one loop if all sleep', worksMs: 0, wokenAt: 100, watchedMs: 100, looks: [[0, 100], [0]] },
    {
      what: 'leaves work to the loop that is about to look again',
      worksMs: 5,
      wokenAt: 2,
      watchedMs: 100,
      looks: [[0, 5], [0]],
    },
    {
      what: 'wakes another loop if the one that works takes long',
      worksMs: 50,
      wokenAt: 2,
      watchedMs: 30,
      looks: [[0], [0, 12]],
    },
  ])('$what', async ({ worksMs, wokenAt, watchedMs, looks }) => {
    const waking = createWaking(2);
    const loops = [runLoop(waking, worksMs), runLoop(waking, 0)];
    await clock.tickAsync(wokenAt);
    waking.wakeUp();
    await clock.tickAsync(watchedMs);
    expect(loops).toEqual(looks);
  });

  it('looks again without a wake-up, in case one was lost', async () => {
    const waking = createWaking(1);
    const looks = runLoop(waking, 0);
    await clock.tickAsync(2_500);
    expect(looks).toEqual([0, 1_000, 2_000]);
  });

  it('remembers that no other process was told of some work, until somebody asks', () => {
    const waking = createWaking(1);
    waking.wakeUp();
    expect(waking.consumeLocalWakeUp()).toBe(false);
    waking.wakeUp({ isLocal: true });
    waking.wakeUp();
    expect([waking.consumeLocalWakeUp(), waking.consumeLocalWakeUp()]).toEqual([true, false]);
  });
});
