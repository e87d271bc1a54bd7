import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import { once } from '../../api/edge/once.ts';
import { waitMsOf } from '../../api/edge/prefer.ts';
import { forbidden } from '../../errors.ts';
import type { OrgPrincipal } from '../../keys/verifier.ts';
import type { Media } from '../../media/service.ts';
import { ErrorAnswer, errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { HistoryItem, HistoryPage, ListHistory } from '../history/events.schema.ts';
import { pageOfHistory } from '../history/service.ts';
import { discardAttachments, storeAttachments } from '../messages/attachments.service.ts';
import { SendMessage, SentMessage } from '../messages/schema.ts';
import { sendMessage } from '../messages/service.ts';
import { applySessionUpdate, listCustomStatuses } from './actions.service.ts';
import {
  CreatedSession,
  CreateSession,
  CustomStatuses,
  IfMatch,
  ListSessions,
  Session,
  SessionPage,
  SessionPath,
  UpdateSession,
} from './schema.ts';
import { createSession, getSession, ifUnchanged, pageOfSessions } from './service.ts';

const tags = ['chat sessions'];
/** Enough for one file of 5 MB in base64 and the rest of a message. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

export const sessionRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const { sending, mediaLinks, answers, maxWaitMs } = deps;

  app.post('/chat/sessions', {
    config: { scope: 'chat-sessions:write' },
    schema: {
      operationId: 'createChatSession',
      summary: 'Create a session',
      description:
        'Opens a session with a contact, or with nobody yet, on a channel. It sends nothing. An unknown contact is a 400.',
      tags,
      body: CreateSession,
      response: { 201: CreatedSession, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return createSession(db, org.id, body);
    },
  });

  app.get('/chat/sessions', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'listChatSessions',
      summary: 'List sessions',
      description: 'Lists sessions in the order of creation, or of update with `updated_after` or `updated_before`.',
      tags,
      querystring: ListSessions,
      response: { 200: SessionPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfSessions(db, org.id, { ...query, memberId: org.member?.id ?? null }),
  });

  app.get('/chat/session-statuses', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'listChatSessionStatuses',
      summary: 'List the org’s own statuses of sessions',
      description:
        'Those that `custom_status_id` names. Admins define them by `session_statuses` of PATCH /org/settings.',
      tags,
      response: { 200: CustomStatuses, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => ({ items: await listCustomStatuses(db, org.id), next: null }),
  });

  app.get('/chat/sessions/:id', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'getChatSession',
      summary: 'Get a session',
      description: 'Returns the session. Its `updated_at` is what `If-Match` of a change takes.',
      tags,
      params: SessionPath,
      response: { 200: Session, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getSession(db, org.id, params.id, org.member?.id),
  });

  app.patch('/chat/sessions/:id', {
    config: { scope: 'chat-sessions:write' },
    schema: {
      operationId: 'updateChatSession',
      summary: 'Update a session',
      tags,
      description:
        'Absent fields keep their values; data merges by key, null removes one. A change of `status` ends the custom status. With If-Match, only if the session is as it was seen (412).',
      params: SessionPath,
      headers: IfMatch,
      body: UpdateSession,
      response: { 200: NoBody, ...errorResponses(403, 404, 412) },
    },
    handler: async ({ db, org, params, headers, body }) => {
      const seen = { id: params.id, ifMatch: headers['if-match'] };
      await ifUnchanged(db, org.id, seen, (trx) => applySessionUpdate(trx, org.id, params.id, body));
      return NO_BODY;
    },
  });

  app.post(
    '/chat/sessions/:id/send',
    once({
      bodyLimit: MAX_MESSAGE_BYTES,
      config: { scope: 'chat-sessions:write' },
      schema: {
        operationId: 'sendMessage',
        summary: 'Send a message',
        tags,
        description:
          'Adds a message of a contact or an agent. An agent’s message in a session on e-mail, SMS, WhatsApp, Messenger, Instagram or Slack is sent there, as the delivery with the same id; on voice nothing sends it (409), unless a CRM serves the customer there. A contact’s message is stored at once; where autopilot is on, the request then waits for the AI’s answer: 15 seconds, or as `Prefer: wait=n` says, from 0 to 25, and the history has the answer in any case.',
        params: SessionPath,
        body: SendMessage,
        response: { 201: SentMessage, ...errorResponses(403, 404, 412), 409: SendConflict },
      },
      prepare: async ({ db, org, params, body }, { ifRefused }) => {
        const { attachments } = body.message;
        if (attachments.length === 0) return [];
        await getSession(db, org.id, params.id);
        const files: Media[] = [];
        ifRefused(() => discardAttachments(deps.db, deps.storage, files));
        await storeAttachments(deps, org.id, attachments, files);
        return files;
      },
      act: async ({ db, org, params, body }, { prepared: files, reply }) => {
        const sent = await sendMessage(db, sending, org.id, params.id, {
          ...asCaller(org, body),
          files,
          memberId: org.member?.id,
        });
        reply.code(201);
        const answer = { success: true, data: { success: true, sessionIsHandedOff: sent.isHandedOff } };
        return { answer, askedId: sent.mayBeAnswered ? sent.id : undefined };
      },
      complete: async ({ db, org, params, headers }, { acted: { answer, askedId } }) => {
        const waitMs = waitMsOf(headers, maxWaitMs);
        if (askedId === undefined || waitMs === 0) return answer;
        const asked = { orgId: org.id, sessionId: params.id, messageId: askedId };
        const { isHandedOff = false, ...said } = await answers.waitForAnswer(db, asked, waitMs);
        const sessionIsHandedOff = answer.data.sessionIsHandedOff || isHandedOff;
        return { ...answer, data: { ...answer.data, ...said, sessionIsHandedOff } };
      },
      redact: {
        sessionOf: ({ params }) => params.id,
        withoutTexts: ({ data: { autopilotResponse, ...data }, ...answer }) => ({ ...answer, data }),
      },
    }),
  );

  app.get('/chat/sessions/:id/history', {
    config: { scope: 'chat-sessions:read' },
    schema: {
      operationId: 'listChatSessionHistory',
      summary: 'List the history of a session',
      tags,
      description:
        'Lists what happened in the session, oldest first, or as `order` says. `actor` says who caused an item. With `around`, the page has an item with those on both sides of it.',
      params: SessionPath,
      querystring: ListHistory,
      response: { 200: HistoryPage, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query }) =>
      pageOfHistory(db, mediaLinks, org.id, { ...query, sessionId: params.id }),
  });
};

const SendConflict = ErrorAnswer.extend({
  items: z.array(HistoryItem).optional().describe('The messages behind `expected_last_id`, at most the first 50.'),
}).meta({ id: 'SendConflict' });

/** Returns a message as its sender may send it: a member speaks as itself, whatever the body says. */
function asCaller({ name, member }: OrgPrincipal, body: SendMessage): SendMessage {
  if (member === undefined) return body;
  if (body.sender === 'contact') throw forbidden('A member who is signed in speaks as an agent, not as the contact');
  return { ...body, agent: { id: member.id, name } };
}
