import { listTicketNumbers } from '../src/conversations/sessions/service.ts';
import type { HeadingSource } from '../src/outbox/dispatching.ts';
import type { Heading } from '../src/temporal/dispatch.ts';
import { kindOf } from '../src/temporal/search-attributes.ts';

/** Kinds of workflows whose subject is a session. Summaries of others have the name of their subject, if it has one. */
const KINDS_OF_SESSIONS = new Set([
  'sla',
  'snooze',
  'csat-survey',
  'ai-turn',
  'summary',
  'insight-extraction',
  'tag-suggestions',
  'handoff',
  'handoff-hold',
  'ticket-close',
  'ticket-reopen',
  'miaw-sync',
]);

/**
 * Returns a source of headings for sessions' workflows: the number of the ticket with the kind of work, and a link to the
 * session in the console.
 */
export const createHeadings =
  (dashboardUrl: string): HeadingSource =>
  async (trx, commands) => {
    const ofSessions = commands.filter(({ workflow_id }) => KINDS_OF_SESSIONS.has(kindOf(workflow_id)));
    if (ofSessions.length === 0) return new Map();
    const numbers = await listTicketNumbers(trx, {
      orgIds: ofSessions.map(({ org_id }) => org_id),
      sessionIds: ofSessions.map(({ subject_id }) => subject_id),
    });
    const headings = new Map<string, Heading>();
    for (const { workflow_id, subject_id } of ofSessions) {
      const number = numbers.get(subject_id);
      if (number === undefined) continue;
      const details = `[Open the session in the console](${dashboardUrl}/console/s/${subject_id})`;
      headings.set(workflow_id, { title: `#${number} ${kindOf(workflow_id)}`, details });
    }
    return headings;
  };
