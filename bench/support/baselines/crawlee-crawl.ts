import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CheerioCrawler, Configuration, LogLevel, log } from '@crawlee/cheerio';
import { serve } from '../processes.ts';

log.setLevel(LogLevel.OFF);

/**
 * Follows the links of a site with Crawlee, and nothing else. By default, Crawlee keeps its queue on disk.
 * Alternatively, the queue is in memory with the best concurrency for this machine. Returns the number of pages and the
 * time.
 */
async function crawl({ url, isInMemory = false }: { url: string; isInMemory?: boolean }) {
  const localDataDirectory = mkdtempSync(join(tmpdir(), 'bench-crawlee-'));
  let pages = 0;
  const crawler = new CheerioCrawler(
    {
      ...(isInMemory ? { maxConcurrency: 16, minConcurrency: 8 } : {}),
      async requestHandler({ enqueueLinks }) {
        pages++;
        await enqueueLinks();
      },
    },
    new Configuration({
      persistStorage: !isInMemory,
      purgeOnStart: true,
      storageClientOptions: { localDataDirectory },
    }),
  );
  const begin = performance.now();
  await crawler.run([url]);
  const ms = performance.now() - begin;
  rmSync(localDataDirectory, { recursive: true, force: true });
  return { pages, ms };
}

serve({ crawl });
