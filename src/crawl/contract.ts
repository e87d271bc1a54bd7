import type { WorkflowContract } from '../temporal/contract.ts';

export interface DatasourceRef {
  orgId: string;
  datasourceId: string;
}

export interface CrawlRef extends DatasourceRef {
  jobId: string;
}

export interface CrawlInput extends CrawlRef {
  /** Batches of the runs before this one. Undefined in the first run. */
  batches?: number;
}

/** Fetches a website, or pages of it, into the org's knowledge. */
export const CRAWL: WorkflowContract<CrawlInput> = {
  type: 'crawl',
  taskQueue: 'crawls',
  workflowId: ({ datasourceId, jobId }) => `crawl/${datasourceId}/${jobId}`,
};

/** Syncs the Temporal Schedule of a datasource with its settings. */
export const SYNC_CRAWL_SCHEDULE: WorkflowContract<DatasourceRef> = {
  type: 'syncCrawlSchedule',
  taskQueue: 'bulk',
  workflowId: ({ datasourceId }) => `crawl-schedule-sync/${datasourceId}`,
};

/** Started by the Schedule itself. The Schedule appends the time to the id. */
export const START_SCHEDULED_CRAWL: WorkflowContract<DatasourceRef> = {
  type: 'startScheduledCrawl',
  taskQueue: 'bulk',
  workflowId: ({ datasourceId }) => `scheduled-crawl/${datasourceId}`,
};

export interface DatasourceDeletion extends DatasourceRef {
  /** Pages deleted by the runs before this one. Undefined in the first run. */
  pages?: number;
}

/** Deletes what belongs to a deleted datasource. */
export const DELETE_DATASOURCE: WorkflowContract<DatasourceDeletion> = {
  type: 'deleteDatasource',
  taskQueue: 'bulk',
  workflowId: ({ datasourceId }) => `datasource-deletion/${datasourceId}`,
};

/** The progress of a deletion after a batch. */
export interface DeletionProgress {
  /** The pages deleted by the batch. */
  pages: number;
  isDone: boolean;
}

export const crawlScheduleIdOf = ({ datasourceId }: DatasourceRef): string => `crawl-schedule/${datasourceId}`;

/** The progress of a crawl after a batch. */
export interface CrawlProgress {
  /** `ended`: cancelled, or its datasource is deleted. `drained`: nothing is left to fetch. */
  state: 'running' | 'paused' | 'drained' | 'ended';
  site: string;
  done: number;
  queued: number;
  /** A host and its problem. */
  trouble: string | null;
  /** Time until something can be fetched again. */
  waitMs: number;
  /** Pages that wait for a browser. */
  toRender: number;
}

export interface CrawlResult {
  status: 'completed' | 'failed' | 'ended';
  pages: number;
  changed: number;
  removed: number;
}
