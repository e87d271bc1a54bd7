import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';
import { SessionId, type Tool } from './tool.schema.ts';

const Values = z.record(z.string().max(255), z.unknown());

/** Tools whose effect leaves the org, which a person confirms, and the one that tells of it. */
export const CONFIRMED_TOOLS: Tool[] = [
  {
    name: 'send_message',
    title: 'Send a message to the contact',
    description:
      'Writes to the contact of a conversation, on its channel. A person of the organization confirms it first.',
    kind: 'confirm',
    scope: 'chat-sessions:write',
    method: 'POST',
    path: '/chat/sessions/{id}/send',
    input: z.strictObject({ id: SessionId, text: z.string().min(1).max(50_000) }),
    bodyOf: ({ text }) => ({ sender: 'agent', message: { type: 'text', text } }),
  },
  {
    name: 'start_sequence',
    title: 'Start a sequence',
    description:
      'Sends a one-off sequence to everybody who matches its filter. A person of the organization confirms it first.',
    kind: 'confirm',
    scope: 'sequences:write',
    method: 'PUT',
    path: '/sequences/{id}/start',
    input: z.strictObject({ id: z.string().min(1).max(255).describe('The id or custom_id of a sequence.') }),
  },
  {
    name: 'trigger_workflow',
    title: 'Start a workflow',
    description: 'Starts an active workflow whose trigger is manual. A person of the organization confirms it first.',
    kind: 'confirm',
    scope: 'workflows:write',
    method: 'POST',
    path: '/workflows/{id}/trigger',
    input: z.strictObject({ id: Id.describe('The id of a workflow.'), input: Values.optional() }),
  },
  {
    name: 'run_action',
    title: 'Call an action',
    description: 'Calls an action of the organization once. A person of the organization confirms it first.',
    kind: 'confirm',
    scope: 'actions:write',
    method: 'POST',
    path: '/actions/{id}/test',
    input: z.strictObject({
      id: Id.describe('The id of an action.'),
      path_params: Values.optional(),
      query_params: Values.optional(),
      body_params: z.unknown().optional().describe('The body.'),
      contact_id: Id.optional().describe('Whose own values the call uses.'),
    }),
    bodyOf: ({ contact_id, ...parameters }) => ({ parameters, contact_id }),
  },
  {
    name: 'get_confirmation',
    title: 'Get what a person decided',
    description: 'Returns whether a call that waited for a person was confirmed, and what came of it.',
    kind: 'read',
    scope: 'autopilot:read',
    method: 'GET',
    path: '/mcp/confirmations/{id}',
    input: z.strictObject({ id: Id.describe('The id that the call returned.') }),
  },
];
