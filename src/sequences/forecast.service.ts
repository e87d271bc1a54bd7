import type { CompositeFilter } from '../contacts/filters.schema.ts';
import { contactFilter } from '../contacts/filters.ts';
import type { Db } from '../db/connect.ts';
import { hasEmailServer } from '../orgs/integrations.service.ts';
import { countStanding, countVerdicts, placesBefore } from './forecast.queries.ts';
import type { SequenceRow } from './queries.ts';
import { movesOf } from './rules.ts';
import { ruleOf } from './sending.service.ts';
import { listAllSteps } from './steps.queries.ts';

const MS_A_MINUTE = 60_000;

export interface StepForecast {
  index: number;
  /** When the first of them goes out; null when nobody gets the step. */
  at: Date | null;
  recipients: number;
  skipped: { reason: string; count: number }[];
}

/**
 * What would go out, to how many and when, if nothing changed from now on. Nothing is sent. A one-off sequence that has not started is
 * taken as if it started now; one that has ended sends nothing.
 */
export async function forecast(
  db: Db,
  orgId: string,
  sequence: SequenceRow,
  hasDefaultServer: boolean,
): Promise<{ steps: StepForecast[] }> {
  const allSteps = await listAllSteps(db, orgId, sequence.id);
  const present = allSteps.filter((step) => !step.is_deleted);
  const moves = movesOf(allSteps);
  const isEmailConfigured = hasDefaultServer || (await hasEmailServer(db, orgId));
  const hasEnded = sequence.status === 'canceled' || sequence.status === 'complete';
  const standing = hasEnded ? [] : await countStanding(db, orgId, sequence.id);
  const isWaiting = sequence.status === 'pending';
  const condition = isWaiting ? await contactFilter(db, orgId, sequence.filter as CompositeFilter | null) : null;

  const steps: StepForecast[] = [];
  let arrival = isWaiting ? Date.now() : Number.POSITIVE_INFINITY;
  for (const [index, step] of present.entries()) {
    const places = hasEnded ? [] : placesBefore(sequence.id, moves, step.id);
    const nearest = moves.filter((move) => move.next?.id === step.id).map((move) => move.after ?? sequence.id);
    const since = standing.filter(({ place }) => nearest.includes(place)).map((found) => found.since.getTime());
    const at = Math.max(Math.min(arrival, ...since) + step.delay_in_minutes * MS_A_MINUTE, Date.now());
    const verdicts = hasEnded
      ? []
      : await countVerdicts(db, orgId, sequence.id, ruleOf(orgId, step.action, isEmailConfigured), {
          places,
          condition,
        });
    const recipients = verdicts.find(({ status }) => status === 'sending')?.count ?? 0;
    const skipped = verdicts.flatMap(({ reason, count }) => (reason === null ? [] : [{ reason, count }]));
    const isReached = Number.isFinite(at) && verdicts.length > 0;
    steps.push({ index, at: isReached ? new Date(at) : null, recipients, skipped });
    arrival = at;
  }
  return { steps };
}
