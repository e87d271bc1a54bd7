import { isDeepStrictEqual } from 'node:util';
import type { Db, Trx } from '../../db/connect.ts';
import { isVerifiedSender } from '../../deliveries/email-domains/service.ts';
import { type Issue, invalid } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { findPhoneAgent, INBOUND_ONLY } from '../../phone-agents/service.ts';
import type { ChangedStep } from '../schema.ts';
import type { StepAction } from './actions.schema.ts';
import { orderAfterEdit } from './rules.ts';
import { listAllSteps, type SequenceStep, type StepToSave, saveSteps } from './shared.queries.ts';

export interface SaveStepsOptions {
  /** Whether mail may be sent from unverified domains. */
  isDevelopment: boolean;
}

/** Throws invalid, naming every step that could not be sent: by an unknown phone agent, or from an unverified domain. */
export async function assertSendable(
  db: Db,
  orgId: string,
  steps: { action: StepAction }[],
  { isDevelopment }: SaveStepsOptions,
): Promise<void> {
  const issues: Issue[] = [];
  for (const [index, { action }] of steps.entries()) {
    const data = `body.steps.${index}.action.data`;
    const problem =
      action.type === 'make_phone_calls' ? await callProblemOf(db, orgId, action.data.aiPhoneAgentId) : undefined;
    if (problem !== undefined) issues.push({ path: `${data}.aiPhoneAgentId`, message: problem });
    if (action.type === 'send_emails' && !isDevelopment && !(await isVerifiedSender(db, orgId, action.data.from_email)))
      issues.push({
        path: `${data}.from_email`,
        message: 'must be of a verified sending domain: see PUT /email/domains',
      });
  }
  if (issues.length > 0) {
    throw invalid(
      `The request is not valid: ${issues.map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
      issues,
    );
  }
}

/** Returns why a phone agent cannot call anybody. */
async function callProblemOf(db: Db, orgId: string, agentId: string): Promise<string | undefined> {
  const agent = await findPhoneAgent(db, orgId, agentId);
  if (agent === undefined) return 'there is no phone agent with this id';
  return agent.type === 'outbound' ? undefined : INBOUND_ONLY;
}

/**
 * Replaces the steps of a sequence by the listed ones. Steps no longer listed stay as deleted. Throws invalid for ids
 * of other sequences.
 */
export async function replaceSteps(trx: Trx, orgId: string, sequenceId: string, listed: ChangedStep[]): Promise<void> {
  const stored = await listAllSteps(trx, orgId, sequenceId);
  await saveSteps(trx, orgId, sequenceId, arrangeSteps(stored, listed));
}

/**
 * Returns all steps in their order after an edit, deleted ones included. A step listed without an id is the first one with
 * the same content that no other claims, else a new one. Throws invalid for repeated ids and ids of other sequences.
 */
export function arrangeSteps(stored: SequenceStep[], listed: ChangedStep[]): StepToSave[] {
  const present = new Map(stored.filter((step) => !step.is_deleted).map((step) => [step.id, step]));
  const given = listed.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const foreign = given.find((id) => !present.has(id));
  if (foreign !== undefined)
    throw invalid(`steps: this sequence has no step with the id ${foreign}: leave the id out for a new step`);
  if (new Set(given).size < given.length) throw invalid('steps: each id may appear only once');

  const unclaimed = new Map([...present].filter(([id]) => !given.includes(id)));
  const steps = listed.map((step) => {
    const { action, delay_in_minutes, id = equalIn(unclaimed, step) ?? newId() } = step;
    unclaimed.delete(id);
    const delay = delay_in_minutes ?? present.get(id)?.delay_in_minutes ?? 0;
    return { action, delay_in_minutes: delay, id, is_deleted: false };
  });
  const byId = new Map(
    [...stored.map((step) => ({ ...step, is_deleted: true })), ...steps].map((step) => [step.id, step]),
  );
  const order = orderAfterEdit(
    stored.map(({ id }) => id),
    steps.map(({ id }) => id),
  );
  return order.flatMap((id, position) => {
    const step = byId.get(id);
    return step === undefined ? [] : [{ ...step, position }];
  });
}

/** Returns the id of the first step that does the same after the same time. */
const equalIn = (steps: Map<string, SequenceStep>, { action, delay_in_minutes = 0 }: ChangedStep): string | undefined =>
  [...steps.values()].find(
    (step) => step.delay_in_minutes === delay_in_minutes && isDeepStrictEqual(step.action, action),
  )?.id;
