import { z } from 'zod';
import { Id, Name, SessionChannel, Timestamp } from '../../schemas/parts.ts';

const MAX_URL_LENGTH = 2_048;
const MAX_DESCRIPTION_LENGTH = 10_000;
const MAX_PARAMETERS = 200;
const MAX_PAYLOAD_CHARACTERS = 64 * 1024;
const MAX_TAGS = 50;
const MAX_CONTENT_TYPES = 20;
/** The maximum length of a parameter's name. */
export const MAX_PARAMETER_NAME_LENGTH = 255;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const RequestType = z.enum(METHODS);
export type RequestType = z.infer<typeof RequestType>;

const JsonSchema = z
  .record(z.string(), z.unknown())
  .describe(
    'JSON Schema, or the schema object of OpenAPI 3.0. A $ref leads to a place in the payload, such as #/components/schemas/Order, or in the schema itself. `pattern` is left to the one who is called. Properties with readOnly belong to answers: requests neither need nor send them.',
  );
export type JsonSchema = z.infer<typeof JsonSchema>;

const OperationParameter = z.looseObject({
  name: z.string().min(1).max(MAX_PARAMETER_NAME_LENGTH),
  in: z.enum(['query', 'path', 'header', 'cookie']),
  description: z.string().max(MAX_DESCRIPTION_LENGTH).optional(),
  required: z.boolean().optional(),
  schema: JsonSchema.optional(),
  style: z
    .string()
    .max(100)
    .optional()
    .describe(
      'How lists and objects are written, as OpenAPI says. Path: simple, label or matrix. Query: form, spaceDelimited, pipeDelimited or deepObject. Header: simple. Cookie: form or cookie. Default: the first of its place.',
    ),
  explode: z
    .boolean()
    .optional()
    .describe(
      'Whether each item or member is written by itself. Default: true for form and cookie, otherwise false. In a cookie, those are separate cookies.',
    ),
});
export type OperationParameter = z.infer<typeof OperationParameter>;

const BodyDescription = z.looseObject({
  schema: JsonSchema.optional().describe(
    'Of XML: `xml` gives names, attributes, wrapped lists and namespaces. The elements have no particular order: where that matters, use `type: string` and give the document as text.',
  ),
  encoding: z
    .record(z.string().max(MAX_PARAMETER_NAME_LENGTH), z.looseObject({ contentType: z.string().max(255).optional() }))
    .optional()
    .describe('Of multipart/form-data: the content type of each part, where it is not that of its schema.'),
});

const RequestBody = z.looseObject({
  description: z.string().max(MAX_DESCRIPTION_LENGTH).optional(),
  required: z.boolean().optional(),
  content: z
    .record(z.string().min(1).max(255), BodyDescription)
    .refine(
      (content) => Object.keys(content).length <= MAX_CONTENT_TYPES,
      `must have at most ${MAX_CONTENT_TYPES} keys`,
    )
    .meta({ maxProperties: MAX_CONTENT_TYPES })
    .describe(
      'By media type. The body is sent as JSON, a form, multipart/form-data, XML, text or bytes: as the first of these that is there.',
    ),
});

const ActionPayload = z
  .looseObject({
    base_url: z.string().max(MAX_URL_LENGTH).optional(),
    path: z.string().max(MAX_URL_LENGTH).optional(),
    method: z.enum(['get', 'post', 'put', 'patch', 'delete']).optional().describe('The request_type in lower case.'),
    operationId: z.string().max(MAX_PARAMETER_NAME_LENGTH).optional(),
    summary: z.string().max(MAX_DESCRIPTION_LENGTH).optional(),
    description: z.string().max(MAX_DESCRIPTION_LENGTH).optional(),
    parameters: z.array(OperationParameter).max(MAX_PARAMETERS).optional(),
    requestBody: RequestBody.optional(),
    responses: z.record(z.string().max(MAX_PARAMETER_NAME_LENGTH), z.unknown()).optional().describe('By status code.'),
  })
  .refine((payload) => JSON.stringify(payload).length <= MAX_PAYLOAD_CHARACTERS, {
    error: `must have at most ${MAX_PAYLOAD_CHARACTERS} characters as JSON`,
  })
  .meta({ id: 'ActionPayload', description: 'The operation, as OpenAPI describes one. Other properties are kept.' });
export type ActionPayload = z.infer<typeof ActionPayload>;

const ConfirmWhen = z.enum(['auto', 'always']);
export type ConfirmWhen = z.infer<typeof ConfirmWhen>;

const EnabledOnChannel = z.object({
  channels: z
    .array(SessionChannel)
    .max(SessionChannel.options.length)
    .transform((channels) => [...new Set(channels)])
    .describe('Where the AI may take the action.'),
});

const fields = {
  name: Name,
  description: z.string().max(MAX_DESCRIPTION_LENGTH).nullable().describe('Tells the AI when to take it.'),
  api_endpoint: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .max(MAX_URL_LENGTH)
    .describe('The full address to call, with {names} of path parameters in its path.'),
  request_type: RequestType,
  operation_id: z
    .string()
    .regex(/^[A-Za-z0-9_./:-]{1,128}$/, 'must have 1 to 128 letters, digits or _ . / : -')
    .describe('Unique in the org.'),
  payload: ActionPayload,
  enabled_on_channel: EnabledOnChannel,
  pinned: z.boolean(),
  tags: z.array(z.string().min(1).max(100)).max(MAX_TAGS),
  require_form_submission: z.boolean().describe('Whether a person is asked to confirm it in a form.'),
  retry_safe: z
    .boolean()
    .describe(
      'Whether the AI’s call may be sent again where its outcome was not seen: what is called does the same Idempotency-Key once.',
    ),
  read_only: z
    .boolean()
    .describe(
      'Whether it changes nothing although it is no GET, such as a search by POST. The AI then calls it without a confirmation after it has read texts of others, and again where its outcome was not seen.',
    ),
  requires_verified: z.boolean().describe('Whether the AI takes it only for contacts whose identity is verified.'),
  confirm: ConfirmWhen.describe(
    'When the AI asks before it takes the action. `always`, or `auto`: only where it has to, such as a change after it has read texts of others.',
  ),
  limits: z
    .unknown()
    .describe(
      'JSON Logic over the parameters, such as {">": [{"var": "body_params.amount"}, 100]}. Where it holds, or cannot be evaluated, an agent must confirm the AI’s call. null: no limits.',
    ),
};

export const CreateAction = z
  .object({
    ...fields,
    description: fields.description.default(null),
    operation_id: fields.operation_id.optional().describe('Unique in the org. Default: made of the name.'),
    enabled_on_channel: fields.enabled_on_channel.prefault({ channels: ['web'] }),
    pinned: fields.pinned.default(false),
    tags: fields.tags.default([]),
    require_form_submission: fields.require_form_submission.default(false),
    retry_safe: fields.retry_safe.default(false),
    read_only: fields.read_only.default(false),
    requires_verified: fields.requires_verified.default(false),
    confirm: fields.confirm.default('auto'),
    limits: fields.limits.default(null),
  })
  .meta({
    id: 'CreateActionPublic',
    examples: [
      {
        name: 'Find orders',
        description: 'Looks up what a customer has ordered.',
        api_endpoint: 'https://shop.example.com/orders',
        request_type: 'GET',
        payload: {
          method: 'get',
          parameters: [{ name: 'email', in: 'query', required: true, schema: { type: 'string', format: 'email' } }],
        },
      },
      {
        name: 'Count the queue',
        api_endpoint: 'https://shop.example.com/queue',
        request_type: 'GET',
        payload: {},
        enabled_on_channel: { channels: ['web', 'email'] },
      },
    ],
  });
export type CreateAction = z.infer<typeof CreateAction>;

/** Absent fields stay unchanged. */
export const UpdateAction = z
  .object(fields)
  .partial()
  .meta({ id: 'UpdateActionPublic', examples: [{ pinned: true, enabled_on_channel: { channels: ['web', 'email'] } }] });
export type UpdateAction = z.infer<typeof UpdateAction>;

export const ActionPath = z.object({ id: Id });

export const Action = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string().nullable(),
    api_endpoint: z.string(),
    request_type: RequestType,
    operation_id: z.string(),
    payload: z.record(z.string(), z.unknown()).describe('As it was given.'),
    enabled_on_channel: z.object({ channels: z.array(SessionChannel) }),
    pinned: z.boolean(),
    tags: z.array(z.string()),
    require_form_submission: z.boolean(),
    retry_safe: z.boolean(),
    read_only: z.boolean(),
    requires_verified: z.boolean(),
    confirm: ConfirmWhen,
    limits: z.unknown().describe('As it was given.'),
    held: z
      .boolean()
      .describe('Whether nothing can call it: a tool of an MCP server whose definition a person has to accept.'),
    connection: z
      .object({ kind: z.string(), name: z.string() })
      .nullable()
      .describe('The connection whose keys it is called with. Its operation changes with the connection alone.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Action' });

/** The file is read as a stream, see http/uploads.ts. */
export const ImportActions = z
  .object({
    file: z
      .file('must be a file, sent as multipart/form-data')
      .describe('OpenAPI 3, JSON or YAML, at most 1 MB, 50,000 values, 500 operations and 64 references in a row.'),
  })
  .nullish();

const OperationIssue = z.object({ path: z.string(), message: z.string() });

export const ImportedActions = z
  .object({
    created: z.int(),
    updated: z.int(),
    skipped: z.int().describe('Operations that cannot be called: see problems.'),
    actions: z.array(z.object({ id: Id, operation_id: z.string() })),
    problems: z.array(OperationIssue).describe('Why operations were skipped, and where in the document.'),
  })
  .meta({ id: 'ImportedActions' });
