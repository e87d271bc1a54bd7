import type { Db } from '../db/connect.ts';
import type { Extractor } from '../extraction/service.ts';
import type { Egress } from '../providers/egress/egress.ts';
import type { CrawlRef } from './contract.ts';
import type { RobotsFiles } from './fetching/robots-files.ts';
import type { QueueCapacity } from './queue/discovered-links.shared.queries.ts';
import type { Renderer } from './rendering/renderer.ts';
import type { Site } from './scope/rules.ts';

/** External dependencies of crawls. */
export interface CrawlDeps {
  egress: Egress;
  extractor: Pick<Extractor, 'extract' | 'split'>;
  /** Undefined if no Chromium is installed. */
  renderer?: Pick<Renderer, 'render'> | undefined;
  /** Delay between two requests to a host whose robots.txt sets none. */
  delayMs: number;
}

/** State shared by the visits of a batch. */
export interface CrawlBatch {
  db: Db;
  deps: CrawlDeps;
  ref: CrawlRef;
  batch: number;
  /** Whether links are followed. */
  isFull: boolean;
  site: Site;
  /**
   * What happens to pages made by scripts: they are left out, wait for a browser, or this batch is the one that renders.
   */
  scripted: 'left_out' | 'deferred' | 'rendered';
  /** Version of the extractor and the settings. Pages fetched with another version are fetched again. */
  fetchedWith: string;
  robots: RobotsFiles;
  capacity: QueueCapacity;
  /** Links already queued by this batch. */
  queuedLinks: Set<string>;
  /** Returns the time for which a host asked all crawls to wait when the batch first came to it. */
  deferralOf(host: string): Promise<number>;
  /** Records that the host with and without "www." is the same site. */
  includeWww(): Promise<void>;
  /** Reads addresses without a query parameter from now on. */
  ignoreParameter(name: string): void;
  /** Query parameters without which a page is another one. */
  requiredParameters: Set<string>;
  /** The last problem with a host. */
  lastProblem: string | null;
  /** Time of the next request to a deferred host, on the clock of performance.now. */
  waitUntil: number | null;
}
