import { showTurn } from '../../conversations/ai/service.ts';
import { lockSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { StepName, TurnRef } from './contract.ts';
import { insertSteps } from './ending.queries.ts';
import { labelOfStep } from './news.rules.ts';
import { listDecisions } from './queries.ts';
import { lockAgainstRedaction, TurnRedacted } from './redaction/guard.service.ts';
import type { AiStepsTable, StepUsage } from './table.ts';

/** A completed step of a turn. */
export interface TakenStep {
  step: number;
  purpose: AiStepsTable['purpose'];
  latency_ms: number;
  detail: Record<string, unknown>;
  model?: string | null;
  usage?: StepUsage | null;
  cost?: number | null;
  /** The decision from which the turn continues after a crash. */
  decision?: unknown;
}

/** Thrown if a turn needs a step not taken by the current activity. */
export class StepNeeded extends Error {
  readonly step: StepName;

  constructor(step: StepName) {
    super(`The step ${step.purpose} is next`);
    this.name = 'StepNeeded';
    this.step = step;
  }
}

/** Takes the steps of one turn. */
export interface TurnSteps {
  /** Returns the earlier decision of the step, or takes it. Throws StepNeeded if it is not its turn. */
  decide<Decision>(
    purpose: AiStepsTable['purpose'],
    work: (step: number) => Promise<{ decision: Decision } & StepReport>,
  ): Promise<Decision>;
}

export type StepReport = Pick<TakenStep, 'latency_ms' | 'detail' | 'model' | 'usage' | 'cost'>;

/** The gates and the search without a model are steps 1 and 2. */
const FIRST_STEP = 3;

/**
 * Returns the steps of a turn, with their stored decisions: these are not asked for again. At most `limit` new ones are
 * taken. Each is shown live before. Taking one throws TurnRedacted if a text of the session was removed since the turn
 * began.
 */
export async function openSteps(db: Db, ref: TurnRef, limit: number): Promise<TurnSteps> {
  const { orgId, turnId } = ref;
  const decided = new Map((await listDecisions(db, orgId, turnId)).map(({ step, decision }) => [step, decision]));
  let next = FIRST_STEP;
  let remaining = limit;
  return {
    async decide(purpose, work) {
      const step = next++;
      if (decided.has(step)) return decided.get(step) as never;
      if (remaining === 0) throw new StepNeeded({ step, purpose });
      remaining--;
      await showStep(db, ref, step, purpose);
      const taken = await work(step);
      await storeStep(db, ref, { step, purpose, ...taken });
      return taken.decision;
    },
  };
}

/**
 * Stores a completed step. Throws TurnRedacted, and stores it without its decision, if a text of the session was
 * removed meanwhile.
 */
async function storeStep(db: Db, ref: TurnRef, taken: TakenStep): Promise<void> {
  const isRedacted = await inTransaction(db, async (trx) => {
    const isRedacted = await lockAgainstRedaction(trx, ref);
    const { decision: _, ...report } = taken;
    await insertSteps(trx, ref.orgId, ref.turnId, [isRedacted ? report : taken]).execute();
    return isRedacted;
  });
  if (isRedacted) throw new TurnRedacted();
}

/** Shows a step live before it is taken. */
const showStep = (db: Db, { orgId, sessionId, turnId }: TurnRef, step: number, purpose: StepName['purpose']) =>
  inTransaction(db, async (trx) => {
    await lockSession(trx, orgId, sessionId);
    const label = labelOfStep(purpose);
    await showTurn(trx, orgId, sessionId, { turnId, state: 'running', label, key: `step ${step}` });
  });
