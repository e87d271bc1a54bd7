import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { createDocumentCache } from '../api/edge/documents/cached-documents.ts';
import { unavailable } from '../errors.ts';

const BUILT = new URL('../../embed/dist/', import.meta.url);
const SCRIPT = 'widget.js';
const SHOWN = /^(?:widget\.js|panel\.js|[a-z]{2}\.json)$/;
const CACHING = 'public, max-age=300';
const TYPES: Record<string, string> = { js: 'text/javascript', json: 'application/json' };

/** Routes of the widget's scripts and of its words in other languages, as `embed/` builds them. */
export const embedRoutes: FastifyPluginAsyncZod<Deps> = async (app) => {
  const onSend = createDocumentCache({ caching: CACHING });
  const files = listBuilt();
  for (const file of new Set([SCRIPT, ...files])) {
    const content = files.includes(file) ? readFileSync(new URL(file, BUILT)) : undefined;
    const url = file === SCRIPT ? `/${SCRIPT}` : `/widget/${file}`;
    const hidden = { schema: { hide: true }, config: { scope: 'public', limitedBy: 'nothing' }, onSend } as const;
    app.get(url, hidden, async (_request, reply) => {
      if (content === undefined) throw unavailable('The widget is not built: run "npm run build --workspace=embed"');
      return asScript(reply, file).send(content);
    });
  }
};

function listBuilt(): string[] {
  try {
    return readdirSync(BUILT).filter((name) => SHOWN.test(name));
  } catch {
    return [];
  }
}

/** Pages of every origin may load it. */
const asScript = (reply: FastifyReply, file: string): FastifyReply =>
  reply
    .type(`${TYPES[file.split('.').at(-1) ?? ''] ?? 'text/plain'}; charset=utf-8`)
    .header('cross-origin-resource-policy', 'cross-origin');
