import type { EmailSender } from '../../src/providers/email.ts';

/** Accepts everything at once, so that what is measured is all but the sending. Takes a whole batch side by side. */
export const COSTLESS: EmailSender = {
  provider: 'costless',
  concurrency: 500,
  send: async ({ deliveryId }) => ({ kind: 'accepted', providerId: deliveryId }),
  close: () => undefined,
};
