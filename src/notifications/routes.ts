import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { memberOf } from '../api/edge/member.ts';
import { inTransaction } from '../db/transaction.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../schemas/parts.ts';
import { ListNotifications, NotificationPage, ReadNotifications } from './schema.ts';
import { pageOfNotifications, readNotifications } from './service.ts';

const tags = ['me'];
const config = { scope: 'any' } as const;

/** Routes for what the member who is signed in hears of. */
export const notificationRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/me/notifications', {
    config,
    schema: {
      operationId: 'listMyNotifications',
      tags,
      summary: 'List your notifications',
      description:
        'Lists the notifications of the member who is signed in, the newest first; they are kept for 90 days. `notify` of its settings turns kinds off, and streams of the topic `notifications` get an event when there is news. An API key has none (403).',
      querystring: ListNotifications,
      response: { 200: NotificationPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfNotifications(db, org.id, { ...query, userId: memberOf(org).id }),
  });

  app.post('/me/notifications/read', {
    config: { ...config, isRepeatable: true },
    schema: {
      operationId: 'readMyNotifications',
      tags,
      summary: 'Mark notifications as read',
      description: 'Marks some notifications of the member who is signed in as read, or all up to a time.',
      body: ReadNotifications,
      response: { 200: NoBody, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => {
      const which = { ...body, userId: memberOf(org).id };
      await inTransaction(db, (trx) => readNotifications(trx, org.id, which));
      return NO_BODY;
    },
  });
};
