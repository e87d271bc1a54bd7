import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, notFound, refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { indexItems, removeItems } from '../index/service.ts';
import { lockDirectory } from './directories.queries.ts';
import {
  deleteTraining,
  findTraining,
  insertTraining,
  listKnownSegments,
  listTraining,
  lockInstructions,
  lockTraining,
  measureInstructions,
  type TrainingItem,
  updateTraining,
} from './queries.ts';
import type { CreateTraining, ListTraining, UpdateTraining } from './schema.ts';

export { listInstructions, listRestrictingSegments } from './queries.ts';

/** All of them are part of each prompt. */
const MAX_INSTRUCTIONS = 100;
const MAX_INSTRUCTION_CHARACTERS = 60_000;

/**
 * Creates a training item. It is found from then on, unless it is a draft. Throws invalid for an unknown directory or
 * segment, and for public instructions.
 */
export function createTraining(db: Db, orgId: string, training: CreateTraining) {
  return inTransaction(db, async (trx) => {
    assertVisibility(training);
    await assertReferences(trx, orgId, training);
    return indexTraining(trx, orgId, await insertTraining(trx, orgId, newId(), training));
  });
}

/** Changes the given fields. Throws notFound, and invalid as createTraining does. */
export function changeTraining(db: Db, orgId: string, id: string, changes: UpdateTraining) {
  return inTransaction(db, async (trx) => {
    await assertReferences(trx, orgId, changes);
    const before = await lockTraining(trx, orgId, id);
    if (before === undefined) throw notFound('training');
    assertVisibility({ ...before, ...changes });
    const item = await updateTraining(trx, orgId, id, changes);
    if (item === undefined) throw notFound('training');
    return indexTraining(trx, orgId, item);
  });
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
  pageOf(db, query, (place) => listTraining(db, orgId, directory_id, place));

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
async function indexTraining(trx: Trx, orgId: string, item: TrainingItem): Promise<TrainingItem> {
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
  return item;
}
