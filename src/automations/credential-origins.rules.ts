import { hasOriginOf, originOf } from '../text/urls.rules.ts';
import { referencesIn } from './blocks/references.rules.ts';
import type { ActionStep } from './blocks/schema.ts';

/**
 * The schemes, hosts and ports that the credentials of each step `execute-action` were given for, by the id of the step.
 * Other steps name their address in their own input.
 */
export type CredentialOrigins = Record<string, string[]>;

/** An action of the org, with the address that it has now. */
export interface ActionAddress {
  id: string;
  api_endpoint: string;
}

const isCallOfAction = ({ type }: Pick<ActionStep, 'type'>): boolean => type === 'execute-action';

/**
 * Returns the origins that a step may call now: that of its action, or those of all actions of the org if a value of the
 * run chooses one. Returns undefined for a step that calls no action.
 */
export function originsOfStep(step: ActionStep, actions: readonly ActionAddress[]): string[] | undefined {
  if (!isCallOfAction(step)) return undefined;
  const { action_id } = step.input;
  const called = isChosenByRun(step) ? actions : actions.filter(({ id }) => id === String(action_id).toLowerCase());
  return [...new Set(called.map(({ api_endpoint }) => originOf(api_endpoint)))];
}

/** Returns the origin of the step's action if its credentials were given for others only. */
export function movedOriginOf(
  step: ActionStep,
  known: readonly string[],
  actions: readonly ActionAddress[],
): string | undefined {
  return isChosenByRun(step) ? undefined : originsOfStep(step, actions)?.find((origin) => !hasOriginOf(origin, known));
}

/** Returns the known origins of a step. */
export const knownOriginsOf = (origins: CredentialOrigins | null, { id }: Pick<ActionStep, 'id'>): string[] =>
  origins !== null && Object.hasOwn(origins, id) ? (origins[id] ?? []) : [];

const isChosenByRun = ({ input: { action_id } }: ActionStep): boolean =>
  typeof action_id === 'string' && referencesIn(action_id).length > 0;
