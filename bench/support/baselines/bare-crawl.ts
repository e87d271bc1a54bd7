import { sql } from 'kysely';
import { Agent, request } from 'undici';
import { connect } from '../../../src/db/connect.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { createExtractor } from '../../../src/extraction/service.ts';
import { newId } from '../../../src/ids.ts';
import { indexItems } from '../../../src/knowledge/index/service.ts';
import { serve } from '../processes.ts';
import { seedOrg } from '../seed.ts';

const MAX_CONCURRENT_PAGES = 8;

const { db } = connect(process.env.DATABASE_URL as string, { poolSize: MAX_CONCURRENT_PAGES });
const extractor = createExtractor();
const dispatcher = new Agent();

/**
 * Follows the links of a site with the same parser and one upsert a page, and optionally the search index. There is no
 * persistent queue, no rate limit and no report.
 */
async function crawl({ url, isIndexed = false }: { url: string; isIndexed?: boolean }) {
  const orgId = await seedOrg(db, 0);
  await sql`create table if not exists bare_pages (id uuid, url text primary key, title text, markdown text)`.execute(
    db,
  );
  await sql`truncate bare_pages`.execute(db);
  const seen = new Set([url]);
  const queue = [url];
  let busy = 0;
  const begin = performance.now();
  const lane = async () => {
    while (queue.length > 0 || busy > 0) {
      const next = queue.shift();
      if (next === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      busy++;
      const { body, headers } = await request(next, { dispatcher });
      const bytes = Buffer.from(await body.arrayBuffer());
      const { title, markdown, language, links } = await extractor.extract({
        bytes,
        contentType: String(headers['content-type']),
        url: next,
      });
      await sql`
        insert into bare_pages (id, url, title, markdown) values (${newId()}, ${next}, ${title}, ${markdown})
        on conflict (url) do update set title = excluded.title, markdown = excluded.markdown
      `.execute(db);
      if (isIndexed) await index(orgId, { title, markdown, language, url: next });
      for (const link of links) {
        if (seen.has(link)) continue;
        seen.add(link);
        queue.push(link);
      }
      busy--;
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_PAGES }, lane));
  return { pages: seen.size, ms: performance.now() - begin };
}

const index = (orgId: string, page: { title: string; markdown: string; language: string | null; url: string }) =>
  inTransaction(db, (trx) => {
    const rest = {
      sourceType: 'website',
      source: 'website',
      sourceId: null,
      visibility: 'public',
      isDraft: false,
    } as const;
    return indexItems(trx, orgId, [{ id: newId(), ...page, ...rest, channels: [], segments: [] }]);
  });

serve({ crawl });
