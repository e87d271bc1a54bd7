import { z } from 'zod';
import { ACTIONS } from './actions/registry.ts';
import { OPERATORS, TRIGGER_TYPES } from './blocks/schema.ts';
import { ActionShape, BLOCKS } from './blocks/shapes.schema.ts';
import type { Definitions } from './definitions.schema.ts';
import { TRIGGERS, triggerOutputSchema } from './triggers/schema.ts';

const jsonSchemaOf = (schema: z.ZodType): Record<string, unknown> => ({
  ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
});

/**
 * Returns the definitions of all triggers, actions, blocks and operators. Callers should cache them: they never change,
 * and building them takes a while.
 */
export function createDefinitions(): z.input<typeof Definitions> {
  return {
    actions: [...ACTIONS.values()].map(({ type, title, description, input, output }) => ({
      type,
      title,
      description,
      input: jsonSchemaOf(input),
      output: jsonSchemaOf(output),
    })),
    blocks: [...BLOCKS].map(([type, { title, description, shape, output }]) => ({
      type,
      title,
      description,
      schema: jsonSchemaOf(shape),
      output: jsonSchemaOf(output),
    })),
    action_step: jsonSchemaOf(ActionShape),
    operators: [...OPERATORS],
    triggers: TRIGGER_TYPES.map((type) => {
      const { title, configuration, isConfigurable } = TRIGGERS[type];
      return {
        type,
        title,
        output: jsonSchemaOf(triggerOutputSchema(type)),
        configuration: configuration === undefined ? null : jsonSchemaOf(configuration),
        is_configuration_required: configuration !== undefined && isConfigurable !== 'optional',
      };
    }),
  };
}
