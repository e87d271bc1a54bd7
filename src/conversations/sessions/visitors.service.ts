import { dataLimitViolationOf } from '../../contacts/saving/merge.rules.ts';
import type { Trx } from '../../db/connect.ts';
import { refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { recordEvents } from '../change-session.service.ts';
import { updateSession } from '../queries.ts';
import { setLanguage } from './language.queries.ts';
import { openSession } from './service.ts';

interface VisitorSession {
  contactId: string;
  /** Whether the org vouched for who the contact is. */
  isVerified: boolean;
  language: string | null;
  customData: Record<string, string>;
}

/** Opens a session on the channel web, with what is known of it at the start. Throws invalid for more data than can be kept. */
export async function openVisitorSession(
  trx: Trx,
  orgId: string,
  { contactId, isVerified, language, customData }: VisitorSession,
): Promise<string> {
  const excess = dataLimitViolationOf(customData);
  if (excess !== undefined) throw refused('customData', excess);
  const { id } = await openSession(trx, orgId, { contactId, channel: 'web', verified: isVerified });
  await updateSession(trx, orgId, id, { language, custom_data: JSON.stringify(customData) });
  return id;
}

/** Sets the language that the contact's client says it is in, whatever it was. The first one is that of the messages before it too. */
export async function setSessionLanguage(trx: Trx, orgId: string, sessionId: string, language: string): Promise<void> {
  await setLanguage(trx, orgId, sessionId, language);
  await updateSession(trx, orgId, sessionId, { language });
}

/** Writes into the history where the contact's client stands. */
export async function recordCheckpoint(trx: Trx, orgId: string, sessionId: string, payload: unknown): Promise<void> {
  await recordEvents(trx, orgId, sessionId, [{ id: newId(), type: 'state_checkpoint', data: { payload } }]);
}

/** Writes a score into the history, under its own id. */
export async function recordScore(
  trx: Trx,
  orgId: string,
  sessionId: string,
  { id, score, comment }: { id: string; score: number; comment: string | null },
): Promise<void> {
  const said = comment === null ? {} : { content: comment };
  await recordEvents(trx, orgId, sessionId, [{ id, type: 'csat_submitted', ...said, data: { score } }]);
}
