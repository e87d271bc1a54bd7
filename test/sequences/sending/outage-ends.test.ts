import type { Channel } from '../../../src/deliveries/contract.ts';
import type { Outages } from '../../../src/sequences/sending/outages.ts';
import { sendDueSteps } from '../../../src/sequences/sending/send-due-steps.service.ts';
import { createSequence, enroll, newNumber } from '../../support/channels.ts';
import { emailStep, smsStep } from '../../support/sequences.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';
import { COSTLESS } from '../forecast/scenario.ts';

/** An outage of SMS that ends after so many look-ups. */
function outagesEndingAfter(lookUps: number): Outages {
  let left = lookUps;
  return {
    record: () => undefined,
    clear: () => undefined,
    find: (_, channel: Channel) => (channel === 'sms' && left-- > 0 ? { pauseMs: 5_000, reason: 'away' } : undefined),
  };
}

describe('an outage of one channel', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  it.each([0, 1, 2, 3, 4, 5])(
    'does not put a sequence of several channels to sleep for good, if it ends after %i look-ups',
    async (lookUps) => {
      const { db, org } = api;
      const sequenceId = await createSequence(org, [smsStep('One'), emailStep('Two', 60)]);
      await enroll(org, sequenceId, newNumber());
      const deps = { db, senders: COSTLESS, outages: outagesEndingAfter(lookUps), isStopped: () => true };
      const { state, hasMore, nextDueInMs } = await sendDueSteps(deps, { orgId: org.id, sequenceId });
      expect(state).toBe('active');
      expect(hasMore || nextDueInMs !== null).toBe(true);
    },
  );
});
