import type { Db } from '../../db/connect.ts';
import { messageOf, notFound, refused } from '../../errors.ts';
import { satisfiesConstraint } from '../../json-logic/json-logic.ts';
import type { Json } from '../blocks/schema.ts';
import { maskSteps } from '../credentials.ts';
import type { JsonObject } from '../json.rules.ts';
import { maskCredentials } from '../masking.rules.ts';
import { findTriggerOutput } from '../runs/service.ts';
import { getValidSteps, getWorkflow } from '../service.ts';
import { simulate } from './rules.ts';
import type { SimulateWorkflow } from './schema.ts';

/**
 * Simulates a run of a workflow, stored or a draft, without any effects. Throws notFound, and invalid for an invalid
 * definition.
 */
export async function simulateWorkflow(db: Db, orgId: string, input: SimulateWorkflow) {
  const stored = input.workflow_id === undefined ? undefined : await getWorkflow(db, orgId, input.workflow_id);
  const trigger_type = input.trigger_type ?? stored?.trigger_type;
  const blocks = input.workflow_blocks ?? (stored && maskSteps(stored.workflow_blocks));
  if (trigger_type === undefined || blocks === undefined)
    throw refused('workflow_id', 'send a workflow_id, or trigger_type and workflow_blocks');
  const trigger_constraints =
    input.trigger_constraints === undefined ? (stored?.trigger_constraints ?? null) : input.trigger_constraints;
  const { trigger_configuration = input.trigger_type === undefined ? (stored?.trigger_configuration ?? null) : null } =
    input;
  const steps = getValidSteps({ trigger_type, trigger_configuration, trigger_constraints, workflow_blocks: blocks });

  const trigger = await getTrigger(db, orgId, input);
  const startMs = Date.now();
  const held = evaluateConstraint(trigger_constraints, trigger);
  if (held !== true)
    return {
      status: 'not_started' as const,
      constraint_held: false,
      steps: [],
      ended_at: new Date(startMs).toISOString(),
      error: held,
    };
  const outputs = new Map(Object.entries(input.outputs));
  const simulation = await simulate({ blocks: steps, trigger }, { outputs, startMs });
  const shown = simulation.steps.map((step) => ({ ...step, input: maskCredentials(step.input) }));
  return { ...simulation, steps: shown, constraint_held: true };
}

async function getTrigger(
  db: Db,
  orgId: string,
  { trigger_output, event_id, workflow_id }: SimulateWorkflow,
): Promise<JsonObject> {
  if (event_id === undefined) return trigger_output ?? {};
  const past = workflow_id === undefined ? undefined : await findTriggerOutput(db, orgId, workflow_id, event_id);
  if (past === undefined) throw notFound('event');
  return maskCredentials(past);
}

/** Returns true if the constraint holds and null if not. Returns the error if the constraint cannot be evaluated. */
function evaluateConstraint(constraint: Json, trigger: JsonObject): true | string | null {
  try {
    return satisfiesConstraint(constraint, trigger) ? true : null;
  } catch (error) {
    return `The constraints cannot be evaluated: ${messageOf(error)}`;
  }
}
