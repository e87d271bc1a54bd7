/** What came of looking for what people said in Salesforce. */
export interface MiawFetchResult {
  /** How many messages are new. */
  stored: number;
  hasMore: boolean;
  /** Whether there is no conversation that could be read, or not any more. */
  isOver: boolean;
}
