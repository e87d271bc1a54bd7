import fc from 'fast-check';
import {
  pausedRetry,
  probeDelayMs,
  QUIET_AFTER_MS,
  RETRY_DELAYS_MS,
  retryDelayMs,
  slotWaitMs,
} from '../../src/webhooks/sending/schedule.rules.ts';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

it('a webhook is tried ten times within about three days, each delay within 10 % of the schedule', () => {
  fc.assert(
    fc.property(random, (chance) => {
      for (const [nth, delay] of RETRY_DELAYS_MS.entries()) {
        const ms = retryDelayMs(nth + 1, undefined, chance) ?? 0;
        expect(ms).toBeGreaterThanOrEqual(delay * 0.9 - 1);
        expect(ms).toBeLessThanOrEqual(delay * 1.1 + 1);
      }
      expect(retryDelayMs(RETRY_DELAYS_MS.length + 1, undefined, chance)).toBeNull();
    }),
  );
  expect(RETRY_DELAYS_MS.map((ms) => ms / 1_000)).toEqual([
    5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
  ]);
});

it('no delay between two tries is as long as the time after which an endpoint counts as quiet', () => {
  fc.assert(
    fc.property(random, fc.integer({ min: 1, max: 9 }), (chance, tries) => {
      expect(retryDelayMs(tries, undefined, chance) ?? 0).toBeLessThan(QUIET_AFTER_MS);
    }),
  );
});

it('retries that wait for a slot come back the later, the longer they are overdue', () => {
  expect([slotWaitMs(-5, 0), slotWaitMs(0, 0.5), slotWaitMs(100_000, 0.5)]).toEqual([1_000, 1_500, 26_500]);
});

it('retries look once in one to five minutes whether sending is still paused', () => {
  expect([0, 0.5, 1].map((chance) => pausedRetry(chance).nextInMs)).toEqual([60_000, 180_000, 300_000]);
});

it('a Retry-After makes a delay longer, never shorter', () => {
  expect(retryDelayMs(1, 60_000, 0.5)).toBe(60_000);
  expect(retryDelayMs(2, 1_000, 0.5)).toBe(300_000);
});

it.each([
  [9, 86_400_000, null],
  [10, 0, 10_000],
  [19, 60_000, 15_000],
  [500, 86_400_000, 300_000],
])('after %i failures in %i ms, the next single try may go in %s ms', (failures, failingForMs, expected) => {
  expect(probeDelayMs(failures, failingForMs)).toBe(expected);
});
