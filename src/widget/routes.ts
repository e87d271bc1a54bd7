import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../api/deps.ts';
import { signalOfHangUp } from '../api/edge/hang-up.ts';
import { waitMsOf } from '../api/edge/prefer.ts';
import { uploads } from '../api/edge/uploads.ts';
import { refused } from '../errors.ts';
import { decideAsVisitor } from './confirmations.service.ts';
import { executeAsVisitor } from './forms.service.ts';
import { readHistory, recordVote, sendVisitorMessage } from './messages.service.ts';
import { requireVisitor, widgetPlugin } from './plugins.ts';
import { pollSession } from './polling.service.ts';
import {
  DecidedConfirmation,
  ExecutedAction,
  PolledWidgetSession,
  SentWidgetMessage,
  Success,
  UploadedWidgetFile,
  VisitorToken,
  VoteResult,
  WidgetConfig,
  WidgetHistory,
  WidgetSession,
  WidgetSessionPage,
} from './responses.schema.ts';
import {
  Checkpoint,
  CreateUnverified,
  CreateWidgetSession,
  DecideConfirmation,
  ExecuteAction,
  HistoryStart,
  ListWidgetSessions,
  PolledSession,
  PollStart,
  ReadWidgetSession,
  SendWidgetMessage,
  SubmitCsat,
  TypingVisitor,
  Vote,
  WidgetConfirmationPath,
  WidgetSessionRef,
} from './schema.ts';
import {
  createWidgetSession,
  getWidgetSession,
  markRead,
  pageOfSessions,
  requestPerson,
  resolveSession,
  saveCheckpoint,
  submitSessionScore,
} from './sessions.service.ts';
import { readWidgetConfig } from './settings.service.ts';
import { receiveUpload } from './uploads.ts';
import { createUnverifiedVisitor } from './visitors.service.ts';

const PREFIX = '/backend/widget/v2';
const SESSIONS_POLLING_SECONDS = 30;
const SESSION_POLLING_SECONDS = 5;
const CONFIG_CACHING = 'private, max-age=300';
/** The widget's requests are authenticated by its own tokens (plugins.ts). */
const config = { scope: 'public', limitedBy: 'nothing' } as const;
const hide = true;
const SUCCESS = { success: true } as const;

/** The routes of the chat widget. They are left out of the API documents, because they serve the widget alone. */
export const widgetRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  await app.register(unverifiedRoutes, { ...deps, prefix: PREFIX });
  await app.register(visitorRoutes, { ...deps, prefix: PREFIX });
  await app.register(uploadRoutes, { ...deps, prefix: PREFIX });
};

const unverifiedRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  await app.register(widgetPlugin, deps);

  app.get('/config', {
    config,
    schema: { hide, response: { 200: WidgetConfig } },
    handler: async ({ db, widgetOrg }, reply) => {
      reply.header('cache-control', CONFIG_CACHING).header('vary', 'origin, x-bot-token');
      return {
        ...(await readWidgetConfig(db, widgetOrg.id)),
        org: widgetOrg,
        sessionsPollingIntervalSeconds: SESSIONS_POLLING_SECONDS,
        sessionPollingIntervalSeconds: SESSION_POLLING_SECONDS,
        modes: [],
      };
    },
  });

  app.post('/contact/create-unverified', {
    config,
    schema: { hide, body: CreateUnverified.nullish(), response: { 200: VisitorToken } },
    handler: ({ db, widgetOrg, body }) => createUnverifiedVisitor(db, deps.tokens, widgetOrg.id, body ?? {}),
  });
};

const visitorRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const { mediaLinks, secrets, answers, callWaiters, maxWaitMs, egress, calls, presence, widgetPolls } = deps;
  await app.register(widgetPlugin, deps);
  await app.register(requireVisitor, deps);

  app.get('/sessions', {
    config,
    schema: { hide, querystring: ListWidgetSessions, response: { 200: WidgetSessionPage } },
    handler: ({ db, visitor, query }) => pageOfSessions(db, visitor, query),
  });

  app.post('/create-session', {
    config,
    schema: { hide, body: CreateWidgetSession, response: { 200: WidgetSession } },
    handler: ({ db, visitor, body }) => createWidgetSession(db, visitor, body?.customData ?? {}),
  });

  app.get('/poll/:sessionId', {
    config,
    schema: {
      hide,
      params: PolledSession,
      querystring: PollStart,
      response: { 200: PolledWidgetSession, 204: z.void().describe('Nothing new.') },
    },
    handler: async ({ db, visitor, params, query }, reply) => {
      const poll = { ...query, id: params.sessionId, signal: signalOfHangUp(reply) };
      const polled = await pollSession(db, { mediaLinks, presence, widgetPolls }, visitor, poll);
      return polled ?? reply.code(204).send();
    },
  });

  app.get('/session/history/:sessionId', {
    config,
    schema: { hide, params: PolledSession, querystring: HistoryStart, response: { 200: z.array(WidgetHistory) } },
    handler: async ({ db, visitor, params, query }) => {
      const polled = await readHistory(db, mediaLinks, visitor, { id: params.sessionId, since: query.since });
      return polled.history;
    },
  });

  app.post('/chat/send', {
    config: { ...config, showsFailures: true },
    schema: { hide, body: SendWidgetMessage, response: { 200: SentWidgetMessage } },
    handler: ({ db, visitor, body, headers }) => {
      if (body.bot_token && body.bot_token !== headers['x-bot-token'])
        throw refused('bot_token', 'must be the one in X-Bot-Token');
      const waitMs = waitMsOf(headers, maxWaitMs);
      return sendVisitorMessage(db, { mediaLinks, secrets, answers }, visitor, { message: body, waitMs });
    },
  });

  app.post('/chat/vote', {
    config,
    schema: { hide, body: Vote, response: { 200: VoteResult } },
    handler: ({ db, visitor, body }) => recordVote(db, visitor, body),
  });

  app.post('/confirmations/:confirmationId', {
    config,
    schema: { hide, params: WidgetConfirmationPath, body: DecideConfirmation, response: { 200: DecidedConfirmation } },
    handler: ({ db, visitor, params, body }) => decideAsVisitor(db, visitor, params.confirmationId, body),
  });

  app.post('/action/execute', {
    config,
    schema: { hide, body: ExecuteAction, response: { 200: ExecutedAction } },
    handler: ({ db, visitor, body, headers }) => {
      const waitMs = waitMsOf(headers, maxWaitMs);
      return executeAsVisitor({ db, egress, secrets, calls, callWaiters }, visitor, { form: body, waitMs });
    },
  });

  app.post('/session/resolve', {
    config,
    schema: { hide, body: WidgetSessionRef, response: { 200: WidgetSession } },
    handler: ({ db, visitor, body }) => resolveSession(db, visitor, body.session_id),
  });

  app.post('/session/handoff', {
    config,
    schema: { hide, body: WidgetSessionRef, response: { 200: WidgetSession } },
    handler: ({ db, visitor, body }) => requestPerson(db, visitor, body.session_id),
  });

  app.post('/read', {
    config,
    schema: { hide, body: ReadWidgetSession, response: { 200: Success } },
    handler: async ({ db, visitor, body }) => {
      await markRead(db, visitor, body);
      return SUCCESS;
    },
  });

  app.post('/typing', {
    config,
    schema: { hide, body: TypingVisitor, response: { 200: Success } },
    handler: async ({ db, visitor, body: { session_id: sessionId, state } }) => {
      await getWidgetSession(db, visitor, sessionId);
      presence.announce({ orgId: visitor.orgId, sessionId, member: null, state });
      return SUCCESS;
    },
  });

  app.post('/checkpoint', {
    config,
    schema: { hide, body: Checkpoint, response: { 200: Success } },
    handler: async ({ db, visitor, body }) => {
      await saveCheckpoint(db, visitor, body);
      return SUCCESS;
    },
  });

  app.post('/submit-csat', {
    config,
    schema: { hide, body: SubmitCsat, response: { 200: Success } },
    handler: async ({ db, visitor, body }) => {
      await submitSessionScore(db, visitor, body);
      return SUCCESS;
    },
  });
};

const uploadRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  await app.register(uploads);
  await app.register(widgetPlugin, deps);
  await app.register(requireVisitor, deps);

  app.post('/upload', {
    config,
    schema: { hide, response: { 200: UploadedWidgetFile } },
    handler: (request) => receiveUpload(request, deps),
  });
};
