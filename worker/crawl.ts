import type { CrawlActivityDeps } from '../activities/crawl.ts';
import type { Config } from '../src/config.ts';
import { createExtractor, type Extractor } from '../src/knowledge/extraction/extraction.service.ts';
import { createEgress } from '../src/providers/egress.ts';

/** What crawls need. The extractor's threads begin with the first page. */
export function composeCrawling(config: Config): {
  deps: Pick<CrawlActivityDeps, 'crawling'>;
  close(): Promise<void>;
} {
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  let extractor: Extractor | undefined;
  return {
    deps: {
      crawling: {
        egress,
        extractor: {
          extract(page) {
            extractor ??= createExtractor();
            return extractor.extract(page);
          },
        },
        delayMs: config.CRAWL_DELAY_MS,
      },
    },
    async close() {
      await Promise.all([egress.close(), extractor?.close()]);
    },
  };
}
