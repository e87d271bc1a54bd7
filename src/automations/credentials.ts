import { refused } from '../errors.ts';
import type { SecretPlace, Secrets } from '../secrets.ts';
import { originOf } from '../text/urls.rules.ts';
import { branchesOf } from './blocks/branches.rules.ts';
import { referencesIn } from './blocks/references.rules.ts';
import type { ActionStep, Json, Step } from './blocks/schema.ts';
import {
  type ActionAddress,
  type CredentialOrigins,
  knownOriginsOf,
  movedOriginOf,
  originsOfStep,
} from './credential-origins.rules.ts';
import { fieldsOf } from './json.rules.ts';
import { isCredentialName, MASK } from './masking.rules.ts';

const SEALED = 'sealed:';
const SEALED_JSON = 'sealed-json:';
const WHOLE_REFERENCE = /^\{\{[^{}]+\}\}$/;

const placeOf = (orgId: string, automationId: string): SecretPlace => ({
  orgId,
  table: 'automation_versions',
  column: 'workflow_blocks',
  row: automationId,
});

/** Encrypts and decrypts credentials in the steps of one workflow. */
export interface CredentialSealer {
  /**
   * Returns an input with its credentials encrypted, according to their field names. A mask, sent back unchanged, stands
   * for the credential in `before`; one without such a credential stays a mask. A value with references is not encrypted:
   * it is made at each run.
   */
  seal(input: Json, before: Json): Json;
  /** Returns an input with its credentials decrypted. */
  open(input: Json): Json;
}

export function createSealer(secrets: Secrets, orgId: string, automationId: string): CredentialSealer {
  const place = placeOf(orgId, automationId);
  return {
    seal: (input, before) =>
      mapCredentials(input, before, (given, known) => {
        if (given === MASK) return known ?? given;
        if (referencesIn(given).length > 0) return given;
        return typeof given === 'string'
          ? SEALED + secrets.encrypt(given, place)
          : SEALED_JSON + secrets.encrypt(JSON.stringify(given), place);
      }),
    open: (input) =>
      mapCredentials(input, null, (stored) => {
        if (typeof stored !== 'string') return stored;
        if (stored.startsWith(SEALED)) return secrets.decrypt(stored.slice(SEALED.length), place);
        if (stored.startsWith(SEALED_JSON)) return JSON.parse(secrets.decrypt(stored.slice(SEALED_JSON.length), place));
        return stored;
      }),
  };
}

/** Steps with encrypted credentials, and the origins that these belong to. */
export interface SealedSteps {
  steps: readonly Step[];
  origins: CredentialOrigins | null;
}

/**
 * Returns the steps with the credentials of their inputs encrypted. `before` are the stored steps that they replace.
 * Throws invalid for a mask in a step that sends to another place than before, as a stored credential stays with its
 * place, and for one without a stored credential.
 */
export function sealSteps(
  sealer: CredentialSealer,
  steps: readonly Step[],
  before: SealedSteps,
  actions: readonly ActionAddress[],
): { steps: Step[]; origins: CredentialOrigins } {
  const known = new Map(actionStepsIn(before.steps).map((step) => [step.id, step]));
  const origins = new Map<string, string[]>();
  const sealed = mapInputs(steps, (step) => {
    const stored = { before: known.get(step.id), origins: knownOriginsOf(before.origins, step) };
    const path = `workflow_blocks.${step.id}`;
    const { input, origins: own } = sealInput(sealer, step, { ...stored, actions, path });
    if (own !== undefined) origins.set(step.id, own);
    return input;
  });
  return { steps: sealed, origins: Object.fromEntries(origins) };
}

/**
 * Returns the input of a step, given at a path of the body, with its credentials encrypted, and the origins that they
 * belong to. `before` is the stored step, and `origins` are those of its credentials. Throws invalid as sealSteps.
 */
export function sealInput(
  sealer: CredentialSealer,
  step: ActionStep,
  {
    before,
    origins,
    actions,
    path,
  }: { before: ActionStep | undefined; origins: string[]; actions: readonly ActionAddress[]; path: string },
): { input: Json; origins: string[] | undefined } {
  const isKept = before !== undefined && hasMask(step.input);
  if (isKept && placeOfStep(before) !== placeOfStep(step))
    throw refused(path, 'send its credentials again, as it sends them to another place');
  const moved = isKept ? movedOriginOf(step, origins, actions) : undefined;
  if (moved !== undefined) throw refused(path, sendAgain(moved));
  const input = sealer.seal(step.input, before?.input ?? null);
  if (hasMask(input)) throw refused(path, `send its credentials again: ${MASK} replaces none that is stored there`);
  const current = originsOfStep(step, actions);
  return { input, origins: isKept && current !== undefined ? origins : current };
}

const sendAgain = (origin: string): string =>
  `send its credentials again: they are not kept for ${origin}, where its action is now`;

/** Returns which steps would send their credentials to another origin than these were given for. Their runs fail. */
export const warningsOfCredentials = ({ steps, origins }: SealedSteps, actions: readonly ActionAddress[]): string[] =>
  actionStepsIn(steps).flatMap((step) => {
    const moved = hasCredentials(step.input) ? movedOriginOf(step, knownOriginsOf(origins, step), actions) : undefined;
    return moved === undefined ? [] : [`workflow_blocks.${step.id}: ${sendAgain(moved)}`];
  });

/** Returns the origins that an input may be sent to. undefined: it has no own credentials, and goes to any. */
export const originsOfInput = (input: Json, origins: string[]): string[] | undefined =>
  hasCredentials(input) ? origins : undefined;

/** Returns whether a stored input has own credentials, besides those that a run inserts. */
function hasCredentials(input: Json): boolean {
  let isFound = false;
  mapCredentials(input, null, (stored) => {
    isFound ||= maskUnlessReference(stored) === MASK;
    return stored;
  });
  return isFound;
}

function actionStepsIn(steps: readonly Step[]): ActionStep[] {
  return steps.flatMap((step) =>
    step.$kind === 'Action' ? [step] : branchesOf(step).flatMap((branch) => actionStepsIn(branch.steps)),
  );
}

/** Returns where a step sends its credentials. */
function placeOfStep({ type, input: { url, action_id = null } }: ActionStep): string {
  const origin = typeof url === 'string' ? originOf(url) : (url ?? null);
  return JSON.stringify([type, origin, action_id]);
}

function hasMask(input: Json): boolean {
  let isMasked = false;
  mapCredentials(input, null, (given) => {
    isMasked ||= given === MASK;
    return given;
  });
  return isMasked;
}

/** Returns stored steps with the credentials of their inputs masked, for responses. References stay readable. */
export const maskSteps = (steps: readonly Step[]): Step[] =>
  mapInputs(steps, ({ input }) => mapCredentials(input, null, maskUnlessReference));

/** Returns an editor's state with its credentials masked: it may contain a copy of the steps. */
export const maskEditorState = (state: Json): Json => mapCredentials(state, null, maskUnlessReference);

const maskUnlessReference = (given: Json): Json =>
  typeof given === 'string' && WHOLE_REFERENCE.test(given) ? given : MASK;

/** Returns the steps with the input of each action replaced, at any depth. */
function mapInputs(steps: readonly Step[], change: (step: ActionStep) => Json): Step[] {
  const mapped = structuredClone([...steps]);
  const visit = (step: Step): void => {
    if (step.$kind === 'Action') step.input = fieldsOf(change(step));
    for (const branch of branchesOf(step)) for (const inner of branch.steps) visit(inner);
  };
  for (const step of mapped) visit(step);
  return mapped;
}

/** Replaces the values of fields with the name of a credential. `known` is the value at the same place of `before`. */
function mapCredentials(value: Json, before: Json, change: (given: Json, known: Json) => Json): Json {
  if (Array.isArray(value)) {
    const known = Array.isArray(before) ? itemsBefore(value, before) : [];
    return value.map((item, n) => mapCredentials(item, known[n] ?? null, change));
  }
  if (typeof value !== 'object' || value === null) return value;
  const others = fieldsOf(before);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const known = Object.hasOwn(others, name) ? (others[name] ?? null) : null;
      const isCredential = inner !== null && inner !== '' && isCredentialName(name);
      return [name, isCredential ? change(inner, known) : mapCredentials(inner, known, change)];
    }),
  );
}

/**
 * Returns the item of `before` that each item of a list with masks was: the only one that is shown in the same way, or
 * else the one at its place, if no item was added or removed, and no other item is that one.
 */
function itemsBefore(list: Json[], before: Json[]): Json[] {
  if (!hasMask(list)) return [];
  const shown = before.map(shownForm);
  const places = Map.groupBy(shown.keys(), (n) => shown[n]);
  const isOfSameLength = list.length === before.length;
  const same = list.map((item) => {
    const [only, ...others] = places.get(shownForm(item)) ?? [];
    return others.length === 0 ? only : undefined;
  });
  const taken = new Set(same);
  return list.map((_, n) => {
    const at = same[n] ?? (isOfSameLength && !taken.has(n) ? n : undefined);
    return at === undefined ? null : (before[at] ?? null);
  });
}

const shownForm = (value: Json): string => JSON.stringify(mapCredentials(value, null, maskUnlessReference));
