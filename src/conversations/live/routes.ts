import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../../api/deps.ts';
import { prefersType } from '../../api/edge/accept.ts';
import { keysOf } from '../../collections/checked-access.ts';
import { invalid } from '../../errors.ts';
import type { OrgPrincipal } from '../../keys/verifier.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { SessionPath } from '../sessions/schema.ts';
import { pageOfEvents } from './pages.service.ts';
import { TOPICS } from './rules.ts';
import { EventPageQuery, EventStream, EventStreamOrPage, OrgStreamStart, SessionStreamStart } from './schema.ts';
import { getOrgCursor, getSessionCursor } from './service.ts';
import type { Audience } from './subscribers.ts';

const tags = ['chat sessions'];
const PAGE_PARAMETERS = keysOf(EventPageQuery.shape);

/** Returns whether the client prefers a page to the stream, which is what it gets without a preference. */
const wantsPage = (request: FastifyRequest): boolean => prefersType(request, 'application/json', 'text/event-stream');

export const liveRoutes: FastifyPluginAsyncZod<Deps> = async (
  app,
  { liveStreams, broadcasts, presence, mediaLinks },
) => {
  app.get('/chat/sessions/:id/events', {
    config: { scope: 'chat-sessions:read', isStreaming: true },
    schema: {
      operationId: 'streamChatSessionEvents',
      summary: 'Stream events of a session',
      tags,
      description:
        'Sends what happens in the session from now on, or behind the event of Last-Event-ID: each event once, in the order of the history. `ai_turn {id, state, label}` says what a turn of the AI does; the history does not keep it.',
      params: SessionPath,
      ...SessionStreamStart,
      response: { 200: EventStream, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params, query, headers }, reply) => {
      const place = await getSessionCursor(db, org.id, params.id, headers['last-event-id'] || query.last_event_id);
      return reply.streamEvents((sink) => liveStreams.subscribe(place, sink, audienceOf(org)));
    },
  });

  app.get('/events', {
    config: { scope: 'chat-sessions:read', isStreaming: true },
    schema: {
      operationId: 'streamEvents',
      summary: 'Stream events of the organization, or read pages of them',
      tags,
      description:
        'Sends what happens in all sessions of the organization from now on, or behind the event of Last-Event-ID: each event once, in the same order for everyone, which is that of the history in each session. `ai_turn {id, state, label}` says what a turn of the AI does; the history does not keep it. With `topics=inbox`, events have `row`, the session as GET /inbox lists it; `session_changed {session_id, row}` tells of changes that are no event of a history, and `read {session_id, row}` of what the member who is signed in has read elsewhere. These two have no id, and a stream that resumes does not repeat them: read the lists again then. The topics `presence` and `notifications` add what is not stored as an event. With `Accept: application/json` the answer is a page of the events of histories of thirty days, in the form of webhooks and in the order of the stream: nothing that commits late is skipped. `id` of either form is a `cursor`, and the Last-Event-ID of the stream. A cursor with older events behind it is a 410.',
      ...OrgStreamStart,
      response: { 200: EventStreamOrPage, ...errorResponses(403, 410) },
    },
    handler: async (request, reply) => {
      const { db, org, query, headers } = request;
      reply.header('vary', 'accept');
      if (wantsPage(request)) return pageOfEvents(db, mediaLinks, org.id, query);
      const given = PAGE_PARAMETERS.find((name) => query[name] !== undefined);
      if (given !== undefined)
        throw invalid(`${given} is of pages: send Accept: application/json, or Last-Event-ID to continue the stream`);
      const place = await getOrgCursor(db, org.id, headers['last-event-id'] || query.last_event_id);
      const audience = audienceOf(org, query.topics);
      const isOfSessions = audience.topics.has('sessions') || audience.topics.has('inbox');
      return reply.streamEvents((sink) =>
        together([
          broadcasts.subscribe({ ...audience, orgId: org.id }, sink, presence.eventsOf(org.id)),
          ...(isOfSessions ? [liveStreams.subscribe(place, sink, audience)] : []),
        ]),
      );
    },
  });
};

const audienceOf = ({ member }: OrgPrincipal, topics = 'sessions'): Audience => ({
  topics: new Set(TOPICS.filter((topic) => topics.split(',').includes(topic))),
  memberId: member?.id ?? null,
});

interface Feed {
  resume(): void;
  stop(): void;
}

/** Returns feeds of one stream as one. */
const together = (feeds: Feed[]): Feed => ({
  resume() {
    for (const feed of feeds) feed.resume();
  },
  stop() {
    for (const feed of feeds) feed.stop();
  },
});
