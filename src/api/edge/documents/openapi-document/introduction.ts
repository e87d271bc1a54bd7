export const TITLE = 'Switchboard API';

/** What a reader has to know before the first request, as the document's description. */
export const INTRODUCTION = `Customer support and outbound messaging.

## Keys and scopes
Send \`Authorization: Bearer <key>\`. A key has full access, or scopes such as \`contacts:read\`: GET and searches need \`read\`, everything else \`write\`. Each operation names its scope. Members who are signed in to the console use their session in place of a key.

## Requests
JSON in and out. Ids are UUIDs, times are ISO 8601 in UTC. Answers and events may get further fields: ignore those you do not know. Unknown fields of requests are refused with the nearest known name; \`Prefer: handling=lenient\` ignores them and names them in \`X-Ignored-Fields\`. What is read can be sent back by PUT or PATCH: read-only fields are ignored and named alike. An update without a body in its answer has one with \`Prefer: return=representation\`: that of GET, with \`Preference-Applied\`.

## Repeating a request
A POST takes an \`Idempotency-Key\`: the same key and body within 24 hours get the first answer again, with \`Idempotent-Replayed: true\`.

## Lists
A list answers \`{items, next}\`. Pass \`next\` as \`cursor\` for the next page; null is the end. No row is skipped, also while others are written.

## Limits
\`X-RateLimit-Limit\`, \`-Remaining\` and \`-Reset\` are in each answer. A 429 has \`Retry-After\` in seconds and names the limit.

## Errors
\`{statusCode, message, error, code}\`, and \`issues: [{path, message}]\` where several fields are wrong. \`message\` is for people, \`code\` for programs: it stays the same.

## Events
\`GET /events\` streams what happens. Webhook endpoints receive the same as signed requests, which the section of webhooks describes.`;

/** What the groups of operations are about. */
export const TAGS: Record<string, string> = {
  organization: 'The organization, its settings and its API keys.',
  members: 'The people of the organization and their roles.',
  integrations: 'Connections to providers of e-mail, SMS, WhatsApp, phone calls, models and CRMs.',
  me: 'The member who is signed in.',
  partner: 'For partners: organizations, their keys and login links.',
  contacts: 'The people who write and are written to, and segments of them.',
  blocklist: 'E-mails and domains to which nothing is sent, and whose messages start nothing.',
  sequences: 'Messages in steps to many contacts, with their enrollments and forecasts.',
  actions: 'HTTP calls that the AI and workflows can make.',
  autopilot: 'How the AI answers: settings, turns, calls and confirmations.',
  phone: 'Phone agents and calls.',
  'office-hours': 'When people work: shifts and holidays.',
  teams: 'Groups of members to which sessions are assigned.',
  tags: 'Tags of sessions, and tagging by the AI.',
  sla: 'Targets for replies and resolutions, and how well they are met.',
  csat: 'Scores of satisfaction.',
  'chat sessions': 'Conversations with contacts: messages, history, assignment and handoff.',
  inbox: 'What members work through: lists, views, drafts and changes of many sessions.',
  'saved replies': 'Texts that members send again and again.',
  redaction: 'Permanent removal of texts and files.',
  crm: 'What comes from CRMs, and handoffs to them.',
  workflows: 'Automations: their versions, triggers, runs and simulations.',
  email: 'E-mails, and the domains they are sent from.',
  deliveries: 'Each message that was sent or not, and suppressed addresses.',
  whatsapp: 'WhatsApp templates.',
  training: 'Texts that the AI answers from.',
  'help-center': 'Articles for everybody, from which the AI answers too.',
  'website datasources': 'Websites that the AI answers from, and their crawls.',
  insights: 'What customers say again and again.',
  media: 'Files.',
  exports: 'Files of all records of a kind.',
  imports: 'Records of the desk that an organization leaves.',
  analytics: 'Reports.',
  widget: 'The chat widget on pages.',
  webhooks: 'Endpoints that receive events, and what was sent to them.',
  mcp: 'Calls of people’s assistants (`/mcp`, Model Context Protocol) that wait for a person.',
  'webhook events': 'What is sent to webhook endpoints. These are requests to you.',
};
