import type { CrawlActivityDeps } from '../activities/crawl.ts';
import type { Config } from '../src/config.ts';
import { createExtractor } from '../src/knowledge/extraction/extraction.service.ts';
import { createEgress } from '../src/providers/egress.ts';

/** What crawls need. */
export function composeCrawling(config: Config): {
  deps: Pick<CrawlActivityDeps, 'crawling'>;
  close(): Promise<void>;
} {
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  const extractor = createExtractor();
  return {
    deps: { crawling: { egress, extractor, delayMs: config.CRAWL_DELAY_MS } },
    async close() {
      await Promise.all([egress.close(), extractor.close()]);
    },
  };
}
