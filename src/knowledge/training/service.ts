import { z } from 'zod';
import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { type CreatedWithin, pagesById } from '../../db/keyset.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, notFound, refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { assertUnchanged } from '../../schemas/if-match.ts';
import { indexItems, removeItems } from '../index/service.ts';
import { lockDirectory } from './directories.queries.ts';
import {
  deleteLearnedDrafts,
  deleteTraining,
  findTraining,
  insertTraining,
  listKnownSegments,
  listTraining,
  listTrainingInOrder,
  lockInstructions,
  lockTraining,
  measureInstructions,
  type TrainingItem,
  updateTraining,
} from './queries.ts';
import { CreateTraining, type ListTraining, Training, type UpdateTraining } from './schema.ts';
import { deleteOldVersions, insertVersion } from './versions.queries.ts';

export { countTraining, listInstructions, listRestrictingSegments } from './queries.ts';

/** All of them are part of each prompt. */
const MAX_INSTRUCTIONS = 100;
const MAX_INSTRUCTION_CHARACTERS = 60_000;
/** Each may have 100,000 characters. */
export const MAX_VERSIONS = 100;

/** Each may have 100,000 characters. */
const ITEMS_PER_PAGE = 50;

/** Who changes training: an org, by one of its API keys. */
export interface Editor {
  id: string;
  keyId: string;
}

/**
 * Creates a training item. It is found from then on, and is its first version, unless it is a draft. Throws invalid for
 * an unknown directory or segment, and for public instructions.
 */
export function createTraining(db: Db, editor: Editor, training: CreateTraining) {
  return inTransaction(db, async (trx) => {
    assertVisibility(training);
    await assertReferences(trx, editor.id, training);
    return publish(trx, editor, await insertTraining(trx, editor.id, newId(), training));
  });
}

/** What was learned from a session. */
export interface LearnedTraining {
  sessionId: string;
  title: string;
  content: string;
}

/** Creates a draft of what was learned from a session. It is not used before somebody publishes it. */
export async function learnTraining(trx: Trx, { id: orgId }: Editor, { sessionId, ...text }: LearnedTraining) {
  const training = CreateTraining.parse({ ...text, is_draft: true });
  const item = await insertTraining(trx, orgId, newId(), { ...training, learned_from_session_id: sessionId });
  await indexTraining(trx, orgId, item);
  return item;
}

/**
 * A reaction to `session-redacted`: deletes the drafts that were learned from the sessions and never published. What
 * somebody has published was checked, and stays.
 */
export const redactLearnedDrafts: Reaction<'session-redacted'> = async (trx, orgId, events) => {
  const sessionIds = [...new Set(events.map(({ subject_id }) => subject_id))];
  await removeItems(trx, orgId, await deleteLearnedDrafts(trx, orgId, sessionIds));
};

/** An item, with its `updated_at` as the caller has seen it where that matters, with or without quotation marks. */
interface SeenItem {
  id: string;
  ifMatch?: string | undefined;
}

/**
 * Changes the given fields. A text that is published then, and was not before, becomes the next version. Throws notFound,
 * changed if the item is not as it was seen, and invalid as createTraining does.
 */
export function changeTraining(db: Db, editor: Editor, { id, ifMatch }: SeenItem, changes: UpdateTraining) {
  return inTransaction(db, async (trx) => {
    await assertReferences(trx, editor.id, changes);
    const before = await lockTraining(trx, editor.id, id);
    if (before === undefined) throw notFound('training');
    assertUnchanged('training item', before.updated_at, ifMatch);
    assertVisibility({ ...before, ...changes });
    const item = await updateTraining(trx, editor.id, id, changes);
    if (item === undefined) throw notFound('training');
    return publish(trx, editor, item);
  });
}

/** Indexes a changed item, and keeps a new text that is published as a version. Returns the item as it is then. */
async function publish(trx: Trx, { id: orgId, keyId }: Editor, item: TrainingItem): Promise<TrainingItem> {
  await indexTraining(trx, orgId, item);
  if (!(await insertVersion(trx, orgId, item.id, keyId))) return item;
  await deleteOldVersions(trx, orgId, item.id, MAX_VERSIONS);
  return getTraining(trx, orgId, item.id);
}

/** Deletes a training item. Throws notFound. */
export function removeTraining(db: Db, orgId: string, id: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    if (!(await deleteTraining(trx, orgId, id))) throw notFound('training');
    await removeItems(trx, orgId, [id]);
  });
}

export async function getTraining(db: Db, orgId: string, id: string) {
  const item = await findTraining(db, orgId, id);
  if (item === undefined) throw notFound('training');
  return item;
}

/** Returns a page of the org's training, oldest first. */
export const pageOfTraining = (db: Db, orgId: string, { directory_id, ...query }: ListTraining) =>
  pageOf(db, query, (page) => listTraining(db, orgId, directory_id, page));

/** Instructions are never shown. */
function assertVisibility({ type, visibility }: Pick<CreateTraining, 'type' | 'visibility'>): void {
  if (type === 'BEHAVIORAL' && visibility === 'public')
    throw refused('visibility', 'must be internal for BEHAVIORAL training, which is never shown');
}

async function assertReferences(
  trx: Trx,
  orgId: string,
  { directory_id, restricted_to_segments: segments = [] }: UpdateTraining,
): Promise<void> {
  if (typeof directory_id === 'string' && !(await lockDirectory(trx, orgId, directory_id)))
    throw refused('directory_id', `there is no directory ${directory_id}`);
  const known = segments.length === 0 ? [] : await listKnownSegments(trx, orgId, segments);
  const unknown = segments.filter((id) => !known.includes(id));
  if (unknown.length > 0) throw refused('restricted_to_segments', `there is no segment ${unknown.join(', ')}`);
}

/** Indexes the item in its current state. */
async function indexTraining(trx: Trx, orgId: string, item: TrainingItem): Promise<void> {
  const isInstruction = item.type === 'BEHAVIORAL';
  if (isInstruction && !item.is_draft) {
    await lockInstructions(trx, orgId);
    const { count, characters } = await measureInstructions(trx, orgId);
    if (count > MAX_INSTRUCTIONS)
      throw conflict(
        `type: at most ${MAX_INSTRUCTIONS} items are BEHAVIORAL and no drafts: make one a draft or SCENARIO_SPECIFIC`,
      );
    if (characters > MAX_INSTRUCTION_CHARACTERS)
      throw conflict(
        `content: BEHAVIORAL items that apply on one channel have at most ${MAX_INSTRUCTION_CHARACTERS} characters together: these would have ${characters}`,
      );
  }
  await indexItems(trx, orgId, [
    {
      id: item.id,
      sourceType: 'custom_training',
      source: isInstruction ? 'ai_instructions' : 'custom_training',
      title: item.title,
      markdown: item.content,
      url: null,
      visibility: item.visibility,
      language: null,
      channels: item.restricted_to_channels,
      segments: item.restricted_to_segments,
      isDraft: item.is_draft,
    },
  ]);
}

/** Reads all items that were created within given times, each as in the response to GET, some at a time. */
export async function* readTraining(
  trx: Trx,
  orgId: string,
  created: CreatedWithin,
): AsyncGenerator<z.input<typeof Training>[]> {
  const pages = pagesById(ITEMS_PER_PAGE, (page) => listTrainingInOrder(trx, orgId, { ...page, ...created }));
  for await (const rows of pages) yield rows.map((row) => z.encode(Training, row));
}
