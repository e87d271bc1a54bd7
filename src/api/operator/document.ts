import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import { VERSION } from '../../operations/health.ts';

type Part = Record<string, unknown>;

const PARAMETER = /:(\w+)/g;
const REFUSED = { description: 'The key or the session is missing, wrong or ended.' };
const schemaOf = (schema: z.ZodType): Part => {
  const { $schema: _version, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
};

/** Collects the operator's routes into their own OpenAPI document. */
export function operatorDocument(publicUrl: string, cookieName: string) {
  const paths: Record<string, Part> = {};
  return {
    add({ method, url, schema, config }: RouteOptions): void {
      const { summary, querystring, params, body, response } = (schema ?? {}) as Part & {
        response?: Record<string, z.ZodType>;
      };
      if (config?.scope !== 'operator' || typeof method !== 'string' || method === 'HEAD') return;
      const answers = Object.entries(response ?? { 204: undefined }).map(([status, answer]) => [
        status,
        { description: 'Done.', ...(answer && { content: { 'application/json': { schema: schemaOf(answer) } } }) },
      ]);
      const path = url.replaceAll(PARAMETER, '{$1}');
      paths[path] = {
        ...paths[path],
        [method.toLowerCase()]: {
          summary,
          parameters: [...parametersOf('path', params), ...parametersOf('query', querystring)],
          ...(body instanceof z.ZodType && {
            requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body) } } },
          }),
          responses: { ...Object.fromEntries(answers), 401: REFUSED },
        },
      };
    },
    read: () => ({
      openapi: '3.1.0',
      info: {
        title: 'Switchboard operator API',
        version: VERSION,
        description: 'The state of the installation, for who runs it. `npm run cli -- operator create` makes a key.',
      },
      servers: [{ url: publicUrl }],
      security: [{ key: [] }, { session: [] }],
      paths,
      components: {
        securitySchemes: {
          key: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'cookie', name: cookieName },
        },
      },
    }),
  };
}

function parametersOf(place: 'path' | 'query', schema: unknown): Part[] {
  if (!(schema instanceof z.ZodType)) return [];
  const { properties = {}, required = [] } = schemaOf(schema) as {
    properties?: Record<string, Part>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, of]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: of,
  }));
}
