import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { countValues, isJson } from '../../../documents/json-text.rules.ts';
import { refusedBody } from '../../../errors.ts';
import { assertUtf8 } from './utf8.ts';

/** The most values in a body: members of objects and items of lists, at any depth. */
export const MAX_VALUES = 200_000;
export const TOO_MANY_VALUES = `must have at most ${MAX_VALUES} values`;
const NO_PROTOTYPE = 'must have no member __proto__, and no constructor with a prototype';

/**
 * Parses JSON bodies, of which an empty one is absent. Refuses one in another encoding than UTF-8, whose letters would be lost,
 * and one with too many values before it is parsed: they take a hundred times its size.
 */
export const jsonBody = fastifyPlugin(async (app: FastifyInstance) => {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    assertUtf8(body);
    const text = body.toString();
    if (text.length > MAX_VALUES && countValues(text) > MAX_VALUES) {
      done(refusedBody(TOO_MANY_VALUES));
      return;
    }
    // The parser refuses names that reach an object's prototype in the words for what is no JSON.
    void parse(request, text, (error, value) =>
      done(error !== null && isJson(text) ? refusedBody(NO_PROTOTYPE) : error, value),
    );
  });
});
