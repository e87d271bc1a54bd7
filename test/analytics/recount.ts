/** An entry of a session's history, as GET /chat/sessions/{id}/history answers it. */
export interface HistoryEntry {
  created_at: string;
  event: { type: string; sender?: { type: string }; to?: string };
}

export interface RecountedSession {
  key: string | null;
  status: string;
  handedOff: boolean;
  contact: number;
  ai: number;
  agent: number;
  firstResponse: number | null;
  firstReply: number | null;
  resolution: number | null;
}

type Counted = (from: number, to: number) => number;

/** Walks through a session's history and notes what happened, and after how many counted seconds. */
export function recount(createdAt: string, history: HistoryEntry[], counted: Counted): Omit<RecountedSession, 'key'> {
  const seen = new Map<string, number>();
  const counts = { contact: 0, ai: 0, human_agent: 0, system: 0 };
  let status = 'open';
  let closedAt: number | null = null;
  for (const { created_at, event } of history) {
    const at = Date.parse(created_at);
    const name = event.type === 'message' ? (event.sender?.type ?? '') : event.type;
    if (!seen.has(name)) seen.set(name, at);
    if (event.type === 'message') counts[name as keyof typeof counts] += 1;
    if (event.type === 'status_changed') {
      status = event.to ?? '';
      closedAt = status === 'open' ? null : at;
    }
  }
  const [contact, ai, agent, handoff] = ['contact', 'ai', 'human_agent', 'handoff'].map((name) => seen.get(name));
  const seconds = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined || to < from ? null : counted(from, to);
  const earlier = (a: number | undefined, b: number | undefined) =>
    a === undefined ? b : b === undefined ? a : Math.min(a, b);
  const hadTheAiFirst = ai !== undefined && handoff !== undefined && ai < handoff;
  return {
    status,
    handedOff: handoff !== undefined,
    contact: counts.contact,
    ai: counts.ai,
    agent: counts.human_agent,
    firstResponse: seconds(contact, earlier(ai, agent)),
    firstReply: seconds(hadTheAiFirst ? handoff : earlier(contact, handoff), agent),
    resolution: closedAt === null ? null : seconds(Date.parse(createdAt), closedAt),
  };
}

/** The value at a fraction of the sorted list, between two of them where need be. */
export function percentile(values: number[], fraction: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const place = fraction * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below === undefined || above === undefined ? null : below + (above - below) * (place - Math.floor(place));
}

const MINUTE_MS = 60_000;

/** Counts the open seconds minute by minute. `isOpen` says of the begin of a minute whether it counts. */
export const minuteByMinute =
  (isOpen: (at: number) => boolean): Counted =>
  (from, to) => {
    let ms = 0;
    for (let minute = Math.floor(from / MINUTE_MS) * MINUTE_MS; minute < to; minute += MINUTE_MS)
      if (isOpen(minute)) ms += Math.min(minute + MINUTE_MS, to) - Math.max(minute, from);
    return ms / 1000;
  };
