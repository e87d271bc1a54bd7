import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { unsupported } from '../../../errors.ts';

const CHARSET = /;\s{0,10}charset=\s{0,10}"?([\w-]{1,40})/i;
const READABLE = ['utf-8', 'utf8', 'us-ascii'];

/** Refuses bodies that would be misread: packed ones (RFC 9110, 8.4) and those in a charset other than UTF-8. */
export const refuseEncodings = fastifyPlugin(async (app: FastifyInstance) => {
  app.addHook('onRequest', async ({ headers }) => {
    const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = headers;
    if (encoding.toLowerCase() !== 'identity') throw unsupported('Send the body without Content-Encoding');
    const charset = CHARSET.exec(type.slice(0, 500))?.[1]?.toLowerCase();
    if (charset !== undefined && !READABLE.includes(charset)) throw unsupported('Send the body in UTF-8');
  });
});
