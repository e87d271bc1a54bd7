import { dataLimitViolationOf } from '../../contacts/saving/merge.rules.ts';
import type { Trx } from '../../db/connect.ts';
import { refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { Actor } from '../../schemas/actor.ts';
import { recordEvents } from '../change-session.service.ts';
import { updateSession } from '../queries.ts';
import { setLanguage } from './language.queries.ts';
import { openSession } from './service.ts';

interface VisitorSession {
  contactId: string;
  /** Whether the org verified the contact's identity. */
  isVerified: boolean;
  language: string | null;
  customData: Record<string, string>;
}

/** Opens a session on the web channel with initial data. Throws invalid for too much data. */
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

/**
 * Sets the language reported by the contact's client, replacing any other. The first one also applies to earlier
 * messages.
 */
export async function setSessionLanguage(trx: Trx, orgId: string, sessionId: string, language: string): Promise<void> {
  await setLanguage(trx, orgId, sessionId, language);
  await updateSession(trx, orgId, sessionId, { language });
}

/** Records a checkpoint of the contact's client in the history. */
export async function recordCheckpoint(trx: Trx, orgId: string, sessionId: string, payload: unknown): Promise<void> {
  await recordEvents(trx, orgId, sessionId, [{ id: newId(), type: 'state_checkpoint', data: { payload } }]);
}

/** Records a score in the history, under its own id. */
export async function recordScore(
  trx: Trx,
  orgId: string,
  sessionId: string,
  { id, score, comment, actor }: { id: string; score: number; comment: string | null; actor?: Actor | undefined },
): Promise<void> {
  const said = comment === null ? {} : { content: comment };
  await recordEvents(trx, orgId, sessionId, [{ id, type: 'csat_submitted', actor, ...said, data: { score } }]);
}
