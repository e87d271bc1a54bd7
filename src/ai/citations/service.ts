import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { listGonePassages } from '../../knowledge/search/passages.service.ts';
import { announce } from '../../outbox/announcing.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import {
  type CitedPassage,
  listChangedCitations,
  listCitedPassages,
  listPassagesOfMessages,
  markPassagesChanged,
  markPassagesRestored,
} from './queries.ts';
import type { ListChangedCitations } from './schema.ts';

/** A reaction to `knowledge-changed`: records citations missing from their item, and announces the items. */
export const reviewCitations: Reaction<'knowledge-changed'> = async (trx, orgId, events) => {
  const items = [...new Set(events.flatMap(({ payload }) => payload.item_ids))];
  await review(trx, orgId, await listCitedPassages(trx, orgId, items));
};

/** Reviews the citations of new answers: an item may have changed between the search and the answer. */
export async function reviewNewCitations(
  trx: Trx,
  orgId: string,
  events: { payload: { message_id: string; sender?: string } }[],
): Promise<void> {
  const answers = events.filter(({ payload }) => payload.sender === undefined || payload.sender === 'ai');
  if (answers.length === 0) return;
  const ids = answers.map(({ payload }) => payload.message_id);
  await review(trx, orgId, await listPassagesOfMessages(trx, orgId, ids));
}

async function review(trx: Trx, orgId: string, cited: CitedPassage[]): Promise<void> {
  if (cited.length === 0) return;
  const gone = new Set((await listGonePassages(trx, orgId, cited)).map(keyOf));
  const changed = cited.filter((passage) => gone.has(keyOf(passage)) && !passage.is_changed);
  const restored = cited.filter((passage) => !gone.has(keyOf(passage)) && passage.is_changed);
  await markPassagesRestored(trx, orgId, restored);
  const items = await markPassagesChanged(trx, orgId, changed);
  await announce(
    trx,
    orgId,
    items.map((item) => ({ type: 'cited-page-changed', subject_id: item.item_id, payload: item })),
  );
}

const keyOf = ({ item_id, hash }: { item_id: string; hash: string }) => `${item_id} ${hash}`;

/** Returns a page of the citations with a changed or lost passage, by the time of the change. */
export const pageOfChangedCitations = (db: Db, orgId: string, { item_id, session_id, ...page }: ListChangedCitations) =>
  pageOf(db, page, (page) => listChangedCitations(db, orgId, { item_id, session_id }, page));
