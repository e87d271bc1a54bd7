import { getHandoffBriefing } from '../../conversations/handoff/status.service.ts';
import type { Db } from '../../db/connect.ts';
import type { HandoffFacts } from '../../providers/crm/port.ts';
import type { SessionRun } from '../contract.ts';
import { findLinkOfSession } from './links.shared.queries.ts';
import { listParts } from './queries.ts';

const MAX_SUBJECT_LENGTH = 120;

/** Returns the data about a session for the other system. */
export async function handoffFactsOf(
  db: Db,
  dashboardUrl: string,
  { orgId, sessionId, n }: SessionRun,
): Promise<HandoffFacts> {
  const { session, summary, opening } = await getHandoffBriefing(db, orgId, sessionId);
  const link = await findLinkOfSession(db, orgId, sessionId);
  const parts = await listParts(db, orgId, sessionId);
  const { contact, ticket_number: ticketNumber } = session;
  const about = opening ?? session.handoff?.reason ?? 'Conversation';
  return {
    sessionId,
    ticketNumber,
    handoffNumber: n,
    subject: `#${ticketNumber} ${about}`.replaceAll(/\s+/g, ' ').slice(0, MAX_SUBJECT_LENGTH).toWellFormed(),
    summary: summary ?? '',
    reason: session.handoff?.reason ?? null,
    sentiment: session.sentiment,
    language: session.language,
    sessionUrl: `${dashboardUrl}/chat/sessions/${sessionId}`,
    contact: { name: contact?.name ?? null, email: contact?.email ?? null, phone: contact?.phone_number ?? null },
    properties: { ...session.custom_data, ...session.editable_custom_data },
    threadId: link?.thread_id ?? null,
    hasEarlierTicket: parts.some((part) => part.part === 'ticket' && isOlder(part, session.handoff)),
    externalIds: Object.fromEntries(
      parts.flatMap(({ part, external_id }) => (external_id === null ? [] : [[part, external_id]])),
    ),
  };
}

/** Returns whether a part was created before a handoff. */
const isOlder = (
  { external_id, updated_at }: { external_id: string | null; updated_at: Date },
  handoff: { at: string } | null,
): boolean => external_id !== null && handoff !== null && updated_at.getTime() < Date.parse(handoff.at);
