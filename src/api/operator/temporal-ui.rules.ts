/** Where the pages of workflows are. */
export interface TemporalUi {
  TEMPORAL_UI_URL?: string | undefined;
  TEMPORAL_NAMESPACE: string;
}

const placeOf = ({ TEMPORAL_UI_URL: url, TEMPORAL_NAMESPACE: namespace }: TemporalUi): string | null =>
  url === undefined ? null : `${url.replace(/\/$/, '')}/namespaces/${encodeURIComponent(namespace)}`;

/** Returns the page of a task queue in the Temporal UI, or null if its address is not set. */
export function pageOfQueue(ui: TemporalUi, queue: string): string | null {
  const place = placeOf(ui);
  return place && `${place}/task-queues/${encodeURIComponent(queue)}`;
}

/** Returns the list of running workflows of these types in the Temporal UI, or null if its address is not set. */
export function pageOfTypes(ui: TemporalUi, types: readonly string[]): string | null {
  const place = placeOf(ui);
  const names = types.map((type) => `"${type}"`).join(',');
  const query = `WorkflowType IN (${names}) AND ExecutionStatus="Running"`;
  return place && `${place}/workflows?query=${encodeURIComponent(query)}`;
}
