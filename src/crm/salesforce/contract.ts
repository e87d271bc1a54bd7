/** The result of fetching agents' messages from Salesforce. */
export interface MiawFetchResult {
  /** The number of new messages. */
  stored: number;
  hasMore: boolean;
  /** Whether there is no conversation to read, or it can no longer be read. */
  isOver: boolean;
}
