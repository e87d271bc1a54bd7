import type { ConfirmationsPort } from '../../conversations/inbox/confirmations.port.ts';
import { waitingInSession } from './queries.ts';

/** The AI as the inbox sees it. */
export const confirmationsPort: ConfirmationsPort = { waitingInSession };
