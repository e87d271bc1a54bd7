import type { Db } from '../../db/connect.ts';
import type { Egress } from '../../providers/egress/egress.ts';
import type { Extractor } from '../extraction/service.ts';
import type { CrawlRef } from './contract.ts';
import type { RobotsFiles } from './fetching/robots-files.ts';
import type { QueueCapacity } from './queue/discovered-links.queries.ts';
import type { Site } from './scope/rules.ts';

/** What crawls need of the outside. */
export interface CrawlDeps {
  egress: Egress;
  extractor: Pick<Extractor, 'extract'>;
  /** Between two requests to a host that does not say. */
  delayMs: number;
}

/** What the visits of a batch share. */
export interface CrawlBatch {
  db: Db;
  deps: CrawlDeps;
  ref: CrawlRef;
  batch: number;
  /** Whether links are followed. */
  isFull: boolean;
  site: Site;
  /** Of what the pages are read with: pages that were read with something else are fetched anew. */
  fetchedWith: string;
  robots: RobotsFiles;
  capacity: QueueCapacity;
  /** Links that this batch has handed to the queue. */
  queuedLinks: Set<string>;
  /** Says that the host with "www." before it, or without, is the same site. */
  takeWww(): Promise<void>;
  /** Of the last host that gave trouble. */
  trouble: string | null;
  /** When a host may be asked again that may not now, on the clock of performance.now. */
  waitUntil: number | null;
}
