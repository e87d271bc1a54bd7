import { EMPTY_CONTACT, missingIn, parseTemplate, renderText } from '../../contacts/templates/rules.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { lockName } from '../../db/locks.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockTeamShared } from '../../desk/teams/service.ts';
import { alreadyExists, invalid, notFound, refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { MediaLinks } from '../../media/links.ts';
import { findSession } from '../queries.ts';
import { fileIdsOf, withLinks } from './files.service.ts';
import {
  countUse,
  deleteSavedReply,
  findIdOfShortcut,
  findSavedReply,
  insertSavedReply,
  listSavedReplies,
  searchSavedReplies,
  updateSavedReply,
} from './saved-replies.queries.ts';
import type { CreateSavedReply, ListSavedReplies, UpdateSavedReply } from './saved-replies.schema.ts';

/** Returns a page of the saved replies by creation, or the best ones for `q`. */
export async function pageOfSavedReplies(db: Db, links: MediaLinks, orgId: string, { q, ...page }: ListSavedReplies) {
  const { items, next } =
    q === undefined
      ? await pageOf(db, page, (place) => listSavedReplies(db, orgId, place))
      : { items: await searchSavedReplies(db, orgId, q, page.limit), next: null };
  return { items: items.map((row) => withLinks(links, orgId, row)), next };
}

/** Returns a saved reply. Throws notFound. */
export async function getSavedReply(db: Db, links: MediaLinks, orgId: string, id: string) {
  const reply = await findSavedReply(db, orgId, id);
  if (reply === undefined) throw notFound('saved reply');
  return withLinks(links, orgId, reply);
}

/** Saves a reply. Throws already_exists for a shortcut in use, and invalid for unknown files or teams. */
export function createSavedReply(db: Db, links: MediaLinks, orgId: string, input: CreateSavedReply) {
  return inTransaction(db, async (trx) => {
    const { attachments, actions, ...reply } = input;
    await lockShortcuts(trx, orgId);
    await assertTeam(trx, orgId, reply.team_id);
    const id = newId();
    const media_ids = await fileIdsOf(trx, orgId, attachments);
    const row = { ...reply, org_id: orgId, id, media_ids, actions: actions === null ? null : JSON.stringify(actions) };
    if (!(await insertSavedReply(trx, row)))
      throw shortcutTaken(await findIdOfShortcut(trx, orgId, reply.shortcut), reply.shortcut);
    return getSavedReply(trx, links, orgId, id);
  });
}

/** Changes a saved reply. Throws notFound, and the errors of createSavedReply. */
export function changeSavedReply(
  db: Db,
  links: MediaLinks,
  orgId: string,
  { id, changes }: { id: string; changes: UpdateSavedReply },
) {
  return inTransaction(db, async (trx) => {
    await lockShortcuts(trx, orgId);
    await getSavedReply(trx, links, orgId, id);
    const { attachments, actions, ...reply } = changes;
    await assertTeam(trx, orgId, reply.team_id ?? null);
    if (reply.shortcut !== undefined) await assertShortcutFree(trx, orgId, reply.shortcut, id);
    await updateSavedReply(trx, orgId, id, {
      ...reply,
      ...(attachments === undefined ? {} : { media_ids: await fileIdsOf(trx, orgId, attachments) }),
      ...(actions === undefined ? {} : { actions: actions === null ? null : JSON.stringify(actions) }),
    });
    return getSavedReply(trx, links, orgId, id);
  });
}

/** Deletes a saved reply. Throws notFound. */
export async function removeSavedReply(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await deleteSavedReply(db, orgId, id))) throw notFound('saved reply');
}

/** Renders a saved reply for the contact of a session, and counts the use. Throws notFound, and invalid for an unknown session. */
export async function renderSavedReply(
  db: Db,
  links: MediaLinks,
  orgId: string,
  { id, sessionId }: { id: string; sessionId: string },
) {
  const { text, attachments } = await getSavedReply(db, links, orgId, id);
  const session = await findSession(db, orgId, sessionId);
  if (session === undefined) throw refused('session_id', 'must be the id of a session: GET /chat/sessions lists them');
  const { contact } = session;
  const parsed = parseTemplate(text);
  const template = 'ok' in parsed ? parsed.ok : [text];
  const rendered = renderText(template, contact ?? EMPTY_CONTACT);
  if (rendered === undefined) throw invalid('The text is too long with the fields of this contact: shorten them');
  await countUse(db, orgId, id);
  return { text: rendered, missing: missingIn(template, contact ?? EMPTY_CONTACT), attachments };
}

const lockShortcuts = (trx: Trx, orgId: string) => lockName(trx, `saved replies ${orgId}`);

async function assertTeam(trx: Trx, orgId: string, teamId: string | null): Promise<void> {
  if (teamId !== null && !(await lockTeamShared(trx, orgId, teamId)))
    throw refused('team_id', 'must be the id of a team: GET /teams lists them');
}

/** Throws already_exists if another reply has the shortcut. The org's shortcuts are locked. */
async function assertShortcutFree(trx: Trx, orgId: string, shortcut: string, id: string): Promise<void> {
  const owner = await findIdOfShortcut(trx, orgId, shortcut);
  if (owner !== undefined && owner !== id) throw shortcutTaken(owner, shortcut);
}

function shortcutTaken(id: string | undefined, shortcut: string) {
  const message = `Another saved reply has the shortcut ${shortcut}: choose another one`;
  return alreadyExists(message, { type: 'saved_reply', id, field: 'shortcut' });
}
