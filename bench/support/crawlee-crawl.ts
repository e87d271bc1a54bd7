import { CheerioCrawler, Configuration, LogLevel, log } from '@crawlee/cheerio';
import { serve } from './processes.ts';

log.setLevel(LogLevel.OFF);

/** Follows the links of a site with Crawlee, and nothing else. Gives how many pages there were and how long it took. */
async function crawl({ url }: { url: string }) {
  let pages = 0;
  const crawler = new CheerioCrawler(
    {
      maxConcurrency: 16,
      minConcurrency: 8,
      async requestHandler({ enqueueLinks }) {
        pages++;
        await enqueueLinks();
      },
    },
    new Configuration({ persistStorage: false, purgeOnStart: true }),
  );
  const begin = performance.now();
  await crawler.run([url]);
  return { pages, ms: performance.now() - begin };
}

serve({ crawl });
