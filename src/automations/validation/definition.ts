import type { Step } from '../blocks/schema.ts';
import { problemsOfReferences } from './references.ts';
import { type CollectedStep, collectSteps, quoted } from './steps.ts';
import { problemsOfTrigger } from './trigger.ts';

/** Ten nested blocks need up to five levels each. */
const MAX_LEVELS = 64;
const MAX_ISSUES = 200;
const MAX_MESSAGE = 500;
const MAX_ID = 100;

export interface UnvalidatedDefinition {
  trigger_type: unknown;
  trigger_configuration?: unknown;
  trigger_constraints?: unknown;
  workflow_blocks: unknown;
}

export interface DefinitionIssue {
  /** null: the issue is about the workflow, or a step without an id. */
  step_id: string | null;
  message: string;
}

export interface ValidationResult {
  issues: DefinitionIssue[];
  /** The steps, if there are no issues. */
  steps: Step[] | undefined;
  action_types_used: string[];
}

/** Validates a definition and returns every problem with its step. Ends soon and never throws, for any input. */
export function validateDefinition(definition: UnvalidatedDefinition): ValidationResult {
  if (isTooDeep(definition)) {
    const issue = { step_id: null, message: `must be nested at most ${MAX_LEVELS} levels deep` };
    return { issues: [issue], steps: undefined, action_types_used: [] };
  }
  const { trigger_type, trigger_configuration, trigger_constraints, workflow_blocks } = definition;
  const { steps, problems } = collectSteps(workflow_blocks);
  const ofReferences = problemsOfReferences(steps);
  const ofWhole = [...problemsOfTrigger(trigger_type, trigger_configuration, trigger_constraints), ...problems];
  const issues: DefinitionIssue[] = [
    ...ofWhole.map((message) => ({ step_id: null, message })),
    ...problemsOfIds(steps),
    ...steps.flatMap((step, nth) =>
      [...step.problems, ...(ofReferences[nth] ?? [])].map((message) => issueOf(step, message)),
    ),
  ].map(({ step_id, message }) => ({ step_id, message: message.slice(0, MAX_MESSAGE).toWellFormed() }));
  return {
    issues: issues.slice(0, MAX_ISSUES),
    steps: issues.length === 0 ? (workflow_blocks as Step[]) : undefined,
    action_types_used: actionTypesIn(steps),
  };
}

function problemsOfIds(steps: CollectedStep[]): DefinitionIssue[] {
  const counts = new Map<string, number>();
  for (const { id } of steps) if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].flatMap(([id, count]) =>
    count === 1 ? [] : [issueOf({ id }, `id: ${count} steps are called ${quoted(id)}, and each needs a different id`)],
  );
}

const issueOf = ({ id }: Pick<CollectedStep, 'id'>, message: string): DefinitionIssue => ({
  step_id: id?.slice(0, MAX_ID).toWellFormed() ?? null,
  message,
});

const actionTypesIn = (steps: CollectedStep[]): string[] => {
  const types = steps.flatMap(({ fields }) =>
    fields.$kind === 'Action' && typeof fields.type === 'string' ? [fields.type] : [],
  );
  return [...new Set(types.map((type) => type.slice(0, MAX_ID).toWellFormed()))];
};

/** Iterates level by level. Recursion into a value nested a hundred thousand deep would end the process. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_LEVELS) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}
