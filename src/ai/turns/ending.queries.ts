import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { openTurn, type TurnChange } from './queries.ts';
import type { AiClaimsTable, AiStepsTable, StepUsage } from './table.ts';

type NewStep = Pick<AiStepsTable, 'step' | 'purpose' | 'latency_ms'> & {
  detail: Record<string, unknown>;
  model?: string | null | undefined;
  usage?: StepUsage | null | undefined;
  cost?: number | null | undefined;
  decision?: unknown;
};
type NewClaim = Omit<AiClaimsTable, 'org_id' | 'turn_id' | 'position' | 'id' | 'changed_at'>;

/** Inserts steps of a turn. A step already stored stays unchanged. */
export const insertSteps = (db: Db, orgId: string, turnId: string, steps: NewStep[]) =>
  db
    .insertInto('ai_steps')
    .values(
      steps.map(({ detail, usage, cost, model, decision, ...step }) => ({
        org_id: orgId,
        turn_id: turnId,
        model: model ?? null,
        usage: usage === undefined || usage === null ? null : JSON.stringify(usage),
        cost: cost === undefined || cost === null ? null : `${cost}`,
        detail: JSON.stringify(detail),
        decision: decision === undefined ? null : JSON.stringify(decision),
        ...step,
      })),
    )
    .onConflict((oc) => oc.columns(['org_id', 'turn_id', 'step']).doNothing());

/** Inserts the sources of a turn's answer. */
export const insertClaims = (trx: Trx, orgId: string, turnId: string, claims: NewClaim[]) =>
  trx
    .insertInto('ai_claims')
    .values(claims.map((claim, position) => ({ org_id: orgId, turn_id: turnId, position, ...claim })));

/** Ends a turn, with its last steps and its sources. An ended one stays unchanged. */
export async function finishTurn(
  trx: Trx,
  orgId: string,
  id: string,
  { steps = [], claims = [], ...change }: TurnChange & { steps?: NewStep[]; claims?: NewClaim[] },
): Promise<void> {
  const ended = openTurn(trx, orgId, id).set({ ...change, ended_at: sql<Date>`clock_timestamp()` });
  const parts = [
    ...(steps.length > 0 ? [sql`steps as (${insertSteps(trx, orgId, id, steps)})`] : []),
    ...(claims.length > 0 ? [sql`claims as (${insertClaims(trx, orgId, id, claims)})`] : []),
  ];
  await (parts.length === 0 ? ended.execute() : sql`with ${sql.join(parts)} ${ended}`.execute(trx));
}
