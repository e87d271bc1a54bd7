import type { EmailSender } from '../src/providers/email.ts';

/** Finds whom an org sends through. */
export interface EmailSenders {
  /** The org's own mail server, else the default one; undefined where there is none. */
  of(orgId: string): Promise<EmailSender | undefined>;
  close(): void;
}

/** Stands in where no sender is configured, so that every delivery is still written down: nothing reaches it. */
export const NOBODY: EmailSender = {
  provider: 'none',
  concurrency: 500,
  send: async () => ({ kind: 'rejected', because: 'config', reason: 'channel not configured' }),
  close: () => undefined,
};
