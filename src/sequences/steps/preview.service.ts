import { assertSavable } from '../../contacts/filters/service.ts';
import type { Db } from '../../db/connect.ts';
import { conflict } from '../../errors.ts';
import { getSequence, hasEnded } from '../definitions/service.ts';
import { countByPosition } from '../forecast/shared.queries.ts';
import type { ChangePreview, UpdateSequence } from '../schema.ts';
import { type ComparedStep, previewSteps } from './preview.rules.ts';
import { arrangeSteps, assertSendable, type SaveStepsOptions } from './service.ts';
import { listAllSteps } from './shared.queries.ts';

/**
 * Previews the effect of a change of a sequence's steps on active enrollments. Changes nothing. Throws notFound, and
 * the errors of the change itself.
 */
export async function previewChange(
  db: Db,
  orgId: string,
  { ref, filter, steps }: UpdateSequence & { ref: string },
  options: SaveStepsOptions,
): Promise<ChangePreview> {
  const { id, status } = await getSequence(db, orgId, ref);
  if (hasEnded({ status })) throw conflict(`A sequence that is ${status} cannot be changed`);
  if (filter !== undefined) await assertSavable(db, orgId, filter, { path: 'body.filter' });
  if (steps !== undefined) await assertSendable(db, orgId, steps, options);
  const stored: ComparedStep[] = await listAllSteps(db, orgId, id);
  const after = steps === undefined ? stored : arrangeSteps(await listAllSteps(db, orgId, id), steps);
  const standing = await countByPosition(db, orgId, id);
  return {
    steps: previewSteps(
      stored,
      after,
      new Map(standing.map(({ position, count }) => [position === id ? null : position, count])),
    ),
  };
}
