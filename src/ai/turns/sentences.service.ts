import { getSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { getOrgLanguage } from '../../orgs/service.ts';
import { type SentenceKey, sentenceOf } from '../../recognition/sentences.rules.ts';
import { getPublishedAiSettings } from '../settings/service.ts';
import type { SessionRef } from './contract.ts';

/** Returns our own sentences as a session's contact is told them: in its language, and as the org words them. */
export async function sentencesFor(db: Db, { orgId, sessionId }: SessionRef): Promise<(key: SentenceKey) => string> {
  const { language } = await getSession(db, orgId, sessionId);
  const { phrases } = await getPublishedAiSettings(db, orgId);
  const fallback = await getOrgLanguage(db, orgId);
  return (key) => sentenceOf(key, language, { fallback, overrides: phrases });
}
