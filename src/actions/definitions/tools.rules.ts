import type { BodyKind } from './body-types.rules.ts';
import { bodyTypeOf, type Operation } from './operations.rules.ts';
import { requestSchemaOf } from './read-only.rules.ts';
import { withoutReferences } from './resolved-operations.rules.ts';
import type { OperationParameter } from './schema.ts';

/** An action as a model is told of it. */
export interface Tool {
  name: string;
  description: string;
  parameters: object;
}

const GROUPS = { path: 'path_params', query: 'query_params', header: 'headers', cookie: 'cookies' } as const;
/** Bodies that are text unless their schema says otherwise. */
const TEXT_BODIES: ReadonlySet<BodyKind> = new Set(['xml', 'text', 'file']);
const MAX_NAME = 64;
const MAX_SUFFIX = 4;
const MAX_DESCRIPTION = 1_000;

interface DescribedAction extends Operation {
  name: string;
  description: string | null;
  operation_id: string;
  isWorkflow?: true;
}

/**
 * Returns the tools of some actions, each with its action. Names have the letters that all providers take, and are
 * unique, beside the reserved ones. Arguments stand in the groups of an action's parameters; those of a workflow are its
 * own.
 */
export function toolsOf<Action extends DescribedAction>(
  actions: readonly Action[],
  reserved: readonly string[] = [],
): { tool: Tool; action: Action }[] {
  const taken = new Set(reserved);
  return actions.map((action) => {
    const plain = action.operation_id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME - MAX_SUFFIX);
    let name = plain;
    for (let nth = 2; taken.has(name); nth++) name = `${plain}_${nth}`;
    taken.add(name);
    const description = [action.name, action.description ?? ''].filter((text) => text !== '').join(': ');
    return {
      tool: {
        name,
        description: description.slice(0, MAX_DESCRIPTION),
        parameters: parametersOf(withoutReferences(action)),
      },
      action,
    };
  });
}

const parametersOf = (action: DescribedAction): object =>
  (action.isWorkflow ? bodyTypeOf(action)?.schema : undefined) ?? schemaOf(action);

function schemaOf(operation: Operation): object {
  const groups = Object.entries(GROUPS).flatMap(([place, group]) => {
    const parameters = (operation.payload.parameters ?? []).filter((parameter) => parameter.in === place);
    if (parameters.length === 0) return [];
    const properties = parameters.map(({ name, description, schema }) => [
      name,
      { ...(schema && requestSchemaOf(schema)), ...(description !== undefined && { description }) },
    ]);
    const required = parameters.filter(isRequired).map(({ name }) => name);
    return [[group, { type: 'object', properties: Object.fromEntries(properties), required }] as const];
  });
  const body = bodyTypeOf(operation);
  const isBodyRequired = operation.payload.requestBody?.required === true;
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(groups),
      ...(body !== undefined && {
        body_params: (body.schema && requestSchemaOf(body.schema)) ?? {
          type: TEXT_BODIES.has(body.kind) ? 'string' : 'object',
        },
      }),
    },
    required: [
      ...groups.filter(([, { required }]) => required.length > 0).map(([group]) => group),
      ...(isBodyRequired ? ['body_params'] : []),
    ],
  };
}

/** A parameter of the path has its default, if there is one. */
const isRequired = ({ in: place, required, schema }: OperationParameter): boolean =>
  place === 'path' ? schema?.default === undefined : required === true;
