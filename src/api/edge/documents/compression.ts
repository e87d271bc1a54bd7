import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance, RouteOptions } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

const WIDGET_PATHS = '/backend/widget/';
const MIN_BYTES = 1_024;
/** Besides these, the library compresses each type that is known to become shorter. */
const COMPRESSED_TYPES = /^(?:application\/json|text\/csv)(?:;|$)/;
/** The fastest levels: on rows of sessions, higher ones take two to seven times as long for 3 % less. */
const BROTLI_QUALITY = 1;
const GZIP_LEVEL = 1;

/**
 * Compresses long answers of documented operations and of the widget, for clients that accept it. Answers to writes are not compressed:
 * they may show a secret, which an attacker could guess from the length of an answer with text of the attacker
 * (BREACH). Pages with tokens are not for the same reason, and streams because a compressor delays events. Registered
 * before the routes.
 */
export const compression = fastifyPlugin(async (app: FastifyInstance) => {
  app.addHook('onRoute', (route) => {
    const isCompressed = isReading(route) && answersByData(route) && route.config?.isStreaming !== true;
    if (!isCompressed) route.compress = false;
  });
  await app.register(compress, {
    globalDecompression: false,
    threshold: MIN_BYTES,
    encodings: ['br', 'gzip'],
    customTypes: COMPRESSED_TYPES,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
    zlibOptions: { level: GZIP_LEVEL },
  });
});

/** Returns whether the route changes nothing, also by a POST. */
const isReading = ({ method, config }: RouteOptions): boolean =>
  [method].flat().every((one) => one === 'GET' || one === 'HEAD') || config?.scope?.endsWith(':read') === true;

/** Returns whether the route answers programs: it is documented, or a route of the chat widget. */
const answersByData = ({ schema, url }: RouteOptions): boolean => schema?.hide !== true || url.startsWith(WIDGET_PATHS);
