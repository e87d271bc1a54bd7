import type { Db, Trx } from '../../db/connect.ts';
import { tagKeyOf } from '../../desk/tags/rules.ts';
import { newId } from '../../ids.ts';
import { AI } from '../../schemas/actor.ts';
import { changeSession, type SessionEvent } from '../change-session.service.ts';
import { findSessionsForUpdate } from '../queries.ts';
import {
  insertAutoTags,
  listContactTexts,
  listRemovedTagNames,
  listSessionTagKeys,
  listTaggedSessions,
} from './tagging.queries.ts';

/** Tags are learnt from this much of a contact's text, and decided by as much. */
const TEXT_LIMITS = { messages: 20, characters: 2_000 };

export interface TaggedSession {
  id: string;
  /** The beginning of its contact's text. Empty if there is none, or it is redacted. */
  text: string;
  /** The keys of the tags given by people. */
  tags: string[];
  /** The keys of the automatically applied tags not confirmed by anybody. */
  unsure: string[];
}

/** Lists sessions tagged by people with their contacts' texts, the newest first, before an id. */
export async function listTaggedTexts(
  db: Db,
  orgId: string,
  page: { before: string | null; limit: number },
): Promise<TaggedSession[]> {
  const sessions = await listTaggedSessions(db, orgId, page);
  const ids = sessions.map(({ id }) => id);
  const texts = new Map((await getContactTexts(db, orgId, ids)).map(({ id, text }) => [id, text]));
  return sessions.map((session) => ({ ...session, text: texts.get(session.id) ?? '' }));
}

/** Returns the beginning of the text of sessions' contacts. Sessions without a contact's text are left out. */
export const getContactTexts = (db: Db, orgId: string, ids: string[]): Promise<{ id: string; text: string }[]> =>
  listContactTexts(db, orgId, ids, TEXT_LIMITS);

/** Returns the keys of a session's tags, and of those ever removed from it. */
export async function getTagHistory(
  db: Db,
  orgId: string,
  sessionId: string,
): Promise<{ present: Set<string>; removed: Set<string> }> {
  const present = await listSessionTagKeys(db, orgId, sessionId);
  const removed = await listRemovedTagNames(db, orgId, [sessionId]);
  return {
    present: new Set(present.map(({ tag_key }) => tag_key)),
    removed: new Set(removed.map(({ tag_name }) => tagKeyOf(tag_name))),
  };
}

/**
 * Adds tags to sessions, by their keys, on behalf of the AI. A tag ever removed from a session is not added to it
 * again. Sessions and tags deleted meanwhile, and excluded tags, are left out. Repeated, it adds nothing.
 */
export async function addTagsByAi(trx: Trx, orgId: string, wanted: { id: string; tags: string[] }[]): Promise<void> {
  const ids = wanted.filter(({ tags }) => tags.length > 0).map(({ id }) => id);
  if (ids.length === 0) return;
  const sessions = await findSessionsForUpdate(trx, orgId, ids);
  const names = await listRemovedTagNames(trx, orgId, ids);
  const removed = new Set(names.map(({ session_id, tag_name }) => `${session_id} ${tagKeyOf(tag_name)}`));
  const found = new Set(sessions.map(({ id }) => id));
  const rows = wanted
    .flatMap(({ id, tags }) => tags.map((tag_key) => ({ session_id: id, tag_key })))
    .filter(({ session_id, tag_key }) => found.has(session_id) && !removed.has(`${session_id} ${tag_key}`));
  const added = await insertAutoTags(trx, orgId, rows);
  for (const session of sessions) {
    const events = added
      .filter(({ session_id }) => session_id === session.id)
      .map(
        ({ tag_name }): SessionEvent => ({
          id: newId(),
          type: 'tag_added',
          actor: AI,
          data: { tag_name, by: 'ai' },
        }),
      );
    if (events.length > 0) await changeSession(trx, orgId, session, { events });
  }
}
