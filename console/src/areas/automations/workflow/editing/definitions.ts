import type { Schemas } from '../../../../api/client';
import type { Block } from '../blocks';
import { allSteps, type Path } from '../paths';

export type Definitions = Schemas['WorkflowDefinitions'];

/** A part of a JSON Schema, as far as a form reads it. */
export interface Schema {
  type?: string;
  description?: string;
  enum?: unknown[];
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  maxLength?: number;
  anyOf?: Schema[];
  items?: Schema;
  $ref?: string;
  $defs?: Record<string, Schema>;
}

/** Returns the schema that a `$ref` of a document names. */
export function resolved(schema: Schema, root: Schema): Schema {
  const name = schema.$ref?.replace('#/$defs/', '');
  const { $ref: _, ...own } = schema;
  return name === undefined ? schema : { ...root.$defs?.[name], ...own };
}

/** Returns a description without the calls of the API that it names. */
export function plainOf(description: string): string {
  const text = description
    .replace(/ \((?:GET|POST|PUT) [^)]*\)/g, '')
    .replace(/^As (?:GET|POST|PUT) [^\s:.]*[:.] /, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the available kinds of steps, with the effect of each. */
export const kindsOf = (definitions: Definitions) => [
  ...definitions.blocks.map(({ type, title, description }) => ({ type, title, description, isBlock: true })),
  ...definitions.actions.map(({ type, title, description }) => ({ type, title, description, isBlock: false })),
];

const INPUTS: Record<string, Record<string, unknown>> = {
  'if-else': { condition: { operatorName: 'equals', left: '', right: '' } },
  switch: { value: '' },
  'for-each': { items: '' },
  wait: { minutes: 10 },
  'wait-for-event': { trigger_type: 'ticket-resolved', timeout_minutes: 60 },
};
const BRANCHES: Record<string, Record<string, unknown>> = {
  // biome-ignore lint/suspicious/noThenProperty: the name of the field in the API, in what nobody awaits
  'if-else': { then: [] },
  switch: { cases: [{ equals: '', steps: [] }] },
  'for-each': { do: [] },
};

/** Returns a new step of a kind, with an id that no other step has. */
export function newStep(definitions: Definitions, type: string, steps: Block[]): Block {
  const id = newId(type, steps);
  const action = definitions.actions.find((one) => one.type === type);
  if (action === undefined)
    return {
      $kind: 'Block',
      type,
      id,
      inputs: INPUTS[type] ?? {},
      ...(BRANCHES[type] && { branches: BRANCHES[type] }),
    };
  const { required = [], properties = {} } = action.input as Schema;
  const input = Object.fromEntries(required.map((name) => [name, usualValue(name, properties[name])]));
  return { $kind: 'Action', type, id, name: action.title, input };
}

/** A field's usual value: from the session or contact of the trigger. */
function usualValue(name: string, schema: Schema | undefined): unknown {
  if (name === 'session_id') return '{{trigger.output.session.id}}';
  if (name === 'contact_id') return '{{trigger.output.contact.id}}';
  if (schema?.type === 'array') return [];
  return schema?.type === 'object' ? {} : '';
}

function newId(type: string, steps: Block[]): string {
  const taken = new Set(allSteps(steps).map(({ step }) => step.id));
  const name = type.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  for (let n = 1; ; n++) {
    const id = n === 1 ? name : `${name}${n}`;
    if (!taken.has(id)) return id;
  }
}

const MAX_DEPTH = 3;
const MAX_REFERENCES = 200;

/** Returns the references that a step may use: to the trigger's payload, and to outputs of the steps before. */
export function referencesBefore(
  definitions: Definitions,
  draft: { trigger_type: string; blocks: Block[] },
  path: Path,
): { name: string; references: string[] }[] {
  const trigger = definitions.triggers.find(({ type }) => type === draft.trigger_type);
  const outputs = new Map([...definitions.actions, ...definitions.blocks].map(({ type, output }) => [type, output]));
  const earlier = allSteps(draft.blocks).filter(({ path: other }) => isBefore(other, path));
  return [
    { name: 'What the trigger told', references: referencesIn('trigger.output', trigger?.output as Schema) },
    ...earlier.map(({ step }) => ({
      name: step.name ?? step.id,
      references: referencesIn(`${step.id}.output`, outputs.get(step.type) as Schema | undefined),
    })),
  ].filter(({ references }) => references.length > 0);
}

/** Whether a step is over when another begins, or is a block around it. */
function isBefore(one: Path, other: Path): boolean {
  const at = one.findIndex((part, n) => part !== other[n]);
  if (at === -1) return one.length < other.length;
  // They part in a list of steps, not in the branches of a block, of which only one is taken.
  const [mine = 0, theirs] = [one[at], other[at]];
  return at % 2 === 0 && theirs !== undefined && mine < theirs;
}

function referencesIn(start: string, root: Schema | undefined): string[] {
  if (root === undefined) return [];
  const found: string[] = [];
  const visit = (path: string, schema: Schema, depth: number) => {
    const { properties } = resolved(schema, root);
    for (const [name, property] of Object.entries(properties ?? {})) {
      if (found.length >= MAX_REFERENCES || !/^\w+$/.test(name)) continue;
      const shown = resolved(property, root);
      const inner = shown.properties === undefined ? shown.anyOf?.find((one) => resolved(one, root).properties) : shown;
      if (inner === undefined || depth >= MAX_DEPTH) found.push(`{{${path}.${name}}}`);
      else visit(`${path}.${name}`, inner, depth + 1);
    }
  };
  visit(start, root, 1);
  return found;
}
