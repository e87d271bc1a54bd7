import type { AnyClaimedEvent } from './claim.ts';

/**
 * Groups events by type, depth and trace: what follows from an event belongs to its trace. Those of traces that are not
 * sampled share one. The groups are as few as possible with the events of each subject still in order: a
 * run that an event starts can wait for the next one of the same subject.
 */
export function groupsOf(events: AnyClaimedEvent[]): AnyClaimedEvent[][] {
  const groups: { kind: string; events: AnyClaimedEvent[] }[] = [];
  const placeOf = new Map<string, number>();
  for (const event of events) {
    const kind = `${event.type} ${event.depth} ${event.trace ?? ''}`;
    const earliest = placeOf.get(event.subject_id) ?? 0;
    const found = groups.findIndex((group, index) => index >= earliest && group.kind === kind);
    const index = found === -1 ? groups.push({ kind, events: [] }) - 1 : found;
    groups[index]?.events.push(event);
    placeOf.set(event.subject_id, index);
  }
  return groups.map((group) => group.events);
}
