import { valueAt } from '../../collections/checked-access.ts';
import type { Db } from '../../db/connect.ts';
import { hasEnded } from '../definitions/ending.rules.ts';
import type { SequenceRow } from '../definitions/shared.queries.ts';
import { transitionsOf } from '../steps/rules.ts';
import { listAllStepsOf } from '../steps/shared.queries.ts';
import { countSequences, findNextDueTimes, type NextMove } from './figures.queries.ts';
import type { SequenceFigures } from './schema.ts';

/** Adds to each sequence how far it is, in two queries for all. */
export async function withFigures<Sequence extends SequenceRow>(
  db: Db,
  orgId: string,
  sequences: Sequence[],
): Promise<(Sequence & { stats: SequenceFigures })[]> {
  const open = sequences.filter((sequence) => !hasEnded(sequence));
  const [counted, dueTimes] = await Promise.all([
    countSequences(
      db,
      orgId,
      sequences.map(({ id }) => id),
    ),
    nextDueTimes(db, orgId, open),
  ]);
  const counts = new Map(counted.map((row) => [row.id, row]));
  return sequences.map((sequence) => {
    const { id: _, held_by, ...figures } = valueAt(counts, sequence.id);
    const isOver = sequence.status === 'canceled';
    return {
      ...sequence,
      stats: {
        ...figures,
        ...(isOver && { due: 0, held: 0 }),
        held_by: isOver || held_by === null ? null : { ...held_by, until: new Date(held_by.until) },
        next_due_at: dueTimes.get(sequence.id) ?? null,
      },
    };
  });
}

async function nextDueTimes(db: Db, orgId: string, sequences: SequenceRow[]): Promise<Map<string, Date>> {
  const ids = sequences.map(({ id }) => id);
  const steps = Map.groupBy(await listAllStepsOf(db, orgId, ids), ({ sequence_id }) => sequence_id);
  const moves = ids.flatMap((id) =>
    transitionsOf(steps.get(id) ?? []).flatMap(({ after, next }): NextMove[] =>
      next === null ? [] : [{ sequence_id: id, position: after ?? id, delay_in_minutes: next.delay_in_minutes }],
    ),
  );
  return findNextDueTimes(db, orgId, moves);
}
