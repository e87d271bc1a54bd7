/** A job over many items. */
export interface ItemJobRef {
  orgId: string;
  jobId: string;
}

/** How far it is. */
export interface ItemJobProgress {
  isEnded: boolean;
  done: number;
  failed: number;
}
