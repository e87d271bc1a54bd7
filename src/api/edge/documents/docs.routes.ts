import { readFileSync } from 'node:fs';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { Piscina } from 'piscina';
import { z } from 'zod';
import { createDocumentCache } from './cached-documents.ts';
import type { Outline } from './docs-outline.rules.ts';
import type { DocsPage, renderDocsPage } from './docs-page.thread.ts';
import { type ApiDocument, operationsOf } from './openapi-document/document.ts';
import { INTRODUCTION, TAGS, TITLE } from './openapi-document/introduction.ts';

const THREAD = new URL('./docs-page.thread.ts', import.meta.url).href;
const RENDER: typeof renderDocsPage.name = 'renderDocsPage';
const HIDDEN = { schema: { hide: true }, config: { scope: 'public', limitedBy: 'address' } } as const;
/** Part of the script's address, which browsers keep until it changes. */
const SCRIPT_VERSION = versionOf('@scalar/fastify-api-reference');
const KEPT_FOREVER = 'public, max-age=31536000, immutable';
const POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'";

/** Serves the documentation of `/openapi.json` as a page. It is rendered when somebody first asks for it. */
export const docsRoutes: FastifyPluginAsync = async (app) => {
  const cache = createDocumentCache();
  const setPolicy = async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header('content-security-policy', POLICY);
  };
  const keepScript = async (request: FastifyRequest, reply: FastifyReply) => {
    if ((request.query as { v?: unknown }).v === SCRIPT_VERSION) reply.header('cache-control', KEPT_FOREVER);
  };
  const route = {
    ...HIDDEN,
    onSend: [setPolicy, cache, keepScript],
  };

  let rendered: Promise<DocsPage> | undefined;
  const docs = () => {
    rendered ??= renderInThread(outlineOf(app.swagger() as unknown as ApiDocument)).catch((error: unknown) => {
      rendered = undefined;
      throw error;
    });
    return rendered;
  };
  app.get('/docs', route, async (_request, reply) => reply.redirect('/docs/', 301));
  app.get('/docs/', route, async (_request, reply) => reply.type('text/html; charset=utf-8').send((await docs()).page));
  app.get('/docs/js/scalar.js', route, async (_request, reply) =>
    reply.type('application/javascript; charset=utf-8').send((await docs()).script),
  );
};

const outlineOf = (document: ApiDocument): Outline => ({
  title: TITLE,
  introduction: INTRODUCTION,
  groups: Object.entries(TAGS).map(([name, description]) => ({
    name,
    description,
    operations: operationsOf(document).flatMap(({ method, path, operation: { tags = [], summary = '' } }) =>
      tags.includes(name) ? [{ method, path, summary }] : [],
    ),
  })),
});

/** The thread ends after the page is rendered: the library takes 17 MB of memory where it is loaded. */
async function renderInThread(outline: Outline): Promise<DocsPage> {
  const thread = new Piscina({ filename: THREAD, minThreads: 0, maxThreads: 1 });
  try {
    const given = { scriptUrl: `js/scalar.js?v=${SCRIPT_VERSION}`, outline };
    const { page, script }: DocsPage = await thread.run(given, { name: RENDER });
    return { page: Buffer.from(page), script: Buffer.from(script) };
  } finally {
    await thread.destroy();
  }
}

/** Returns the version of a package, from the package.json above the folder of its entry. */
function versionOf(name: string): string {
  const file = new URL('../package.json', import.meta.resolve(name));
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}
