import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { htmlPage } from '../../../html/page.rules.ts';
import type { Deps } from '../../deps.ts';
import { asPage } from './page-answers.ts';

const HIDDEN = { schema: { hide: true } } as const;
const ICON_CACHING = 'public, max-age=86400';
/** The icon of our pages, 32 pixels wide: two switches. A PNG within an ICO, which every browser reads. */
const FAVICON = Buffer.from(
  `AAABAAEAICAAAAEAAgCyAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAIDAAAADhSSZwAAAAlQTFRFAAAAHE/Y////zopT3AAAAAF0Uk5T
   AEDm2GYAAABXSURBVHjaY2BgDQWCAAYGhlAwYIAIgITgDFEIIwTBCIUCICNq1aqlYEbWqpWRYAZQIAwHA64GrgtuDh4GXHEqUD+YMRUohIMBV4Nu
   BaYvMH0KDwRYsAAA1n1cMQPDYnkAAAAASUVORK5CYII=`,
  'base64',
);

/** Routes for a browser that opens the server's address: a page with links, and the icon. */
export const landingRoutes: FastifyPluginAsyncZod<Deps> = async (app, { config }) => {
  const page = landingPage(config.OPS_PORT === undefined);

  app.get('/', { ...HIDDEN, config: { scope: 'public', limitedBy: 'address' } }, async (_request, reply) =>
    asPage(reply).send(page),
  );

  app.get('/favicon.ico', { ...HIDDEN, config: { scope: 'public', limitedBy: 'nothing' } }, async (_request, reply) =>
    reply.type('image/x-icon').header('cache-control', ICON_CACHING).send(FAVICON),
  );
};

/** The state of the server has a link where it is served on the same port. */
function landingPage(hasHealth: boolean): string {
  const links = [
    ['console', 'Console'],
    ['docs/', 'API documentation'],
    ['openapi.json', 'OpenAPI document'],
    ...(hasHealth ? [['readyz', 'State of this server']] : []),
  ];
  const items = links.map(([path, name]) => `<li><a href="${path}">${name}</a></li>`).join('');
  return htmlPage('Switchboard', `<p>Customer support and outbound messaging.</p><ul>${items}</ul>`);
}
