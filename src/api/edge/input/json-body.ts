import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { countValues } from '../../../documents/json-text.rules.ts';
import { invalid } from '../../../errors.ts';

/** The most values in a body: members of objects and items of lists, at any depth. */
export const MAX_VALUES = 200_000;
export const TOO_MANY_VALUES = `must have at most ${MAX_VALUES} values`;

/**
 * Parses JSON bodies, of which an empty one is absent. Refuses one with too many values before it is parsed: they take a
 * hundred times its size.
 */
export const jsonBody = fastifyPlugin(async (app: FastifyInstance) => {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') return done(null, undefined);
    if (text.length > MAX_VALUES && countValues(text) > MAX_VALUES) {
      done(invalid(`The request is not valid: body ${TOO_MANY_VALUES}`, [{ path: 'body', message: TOO_MANY_VALUES }]));
      return;
    }
    void parse(request, text, done);
  });
});
