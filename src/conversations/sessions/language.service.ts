import type { Trx } from '../../db/connect.ts';
import { detectLanguage } from '../../languages/detection.ts';
import type { LockedSession } from '../queries.ts';
import { setLanguage } from './language.queries.ts';

/**
 * Detects the language of a session without one from its contact's message. If the session has events already, sets it,
 * as they are to be found by its words too. Otherwise returns it, to be set with the message.
 */
export async function detectSessionLanguage(
  trx: Trx,
  orgId: string,
  session: Pick<LockedSession, 'id' | 'last_seq'>,
  text: string,
): Promise<string | undefined> {
  const language = await detectLanguage(text);
  if (language === undefined || session.last_seq === 0) return language;
  await setLanguage(trx, orgId, session.id, language);
  return undefined;
}
