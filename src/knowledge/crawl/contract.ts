import type { WorkflowContract } from '../../temporal/contract.ts';

export interface DatasourceRef {
  orgId: string;
  datasourceId: string;
}

export interface CrawlRef extends DatasourceRef {
  jobId: string;
}

export interface CrawlInput extends CrawlRef {
  /** Batches of the runs before this one. None: it has not begun. */
  batches?: number;
}

/** Fetches a website, or pages of it, into the org's knowledge. */
export const CRAWL: WorkflowContract<CrawlInput> = {
  type: 'crawl',
  taskQueue: 'bulk',
  workflowId: ({ datasourceId, jobId }) => `crawl/${datasourceId}/${jobId}`,
};

/** Has the Temporal Schedule of a datasource be as its settings say. */
export const SYNC_CRAWL_SCHEDULE: WorkflowContract<DatasourceRef> = {
  type: 'syncCrawlSchedule',
  taskQueue: 'bulk',
  workflowId: ({ datasourceId }) => `crawl-schedule-sync/${datasourceId}`,
};

/** Begun by the Schedule itself, which adds the time to the id. */
export const START_SCHEDULED_CRAWL: WorkflowContract<DatasourceRef> = {
  type: 'startScheduledCrawl',
  taskQueue: 'bulk',
  workflowId: ({ datasourceId }) => `scheduled-crawl/${datasourceId}`,
};

export const crawlScheduleIdOf = ({ datasourceId }: DatasourceRef): string => `crawl-schedule/${datasourceId}`;

/** Where a crawl stands after a batch. */
export interface CrawlProgress {
  /** `ended`: cancelled, or its datasource is deleted. `drained`: nothing is left to fetch. */
  state: 'running' | 'paused' | 'drained' | 'ended';
  site: string;
  done: number;
  queued: number;
  /** A host that gave trouble, and what. */
  trouble: string | null;
  /** Nothing can be fetched for so long. */
  waitMs: number;
}

export interface CrawlResult {
  status: 'completed' | 'failed' | 'ended';
  pages: number;
  changed: number;
  removed: number;
}
