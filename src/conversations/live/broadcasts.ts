import type { Topic } from './rules.ts';
import type { Sink, Audience as StreamAudience } from './subscribers.ts';

/** A transient event of streams: it has no id, and no stream resumes behind it. */
export interface Broadcast {
  orgId: string;
  topic: Topic;
  /** The member it is meant for. Absent: all. */
  memberId?: number;
  /** Of two events with the same key, a full stream gets the later one. */
  key: string;
  type: string;
  data: object;
}

interface Audience extends StreamAudience {
  orgId: string;
}

interface Follower extends Audience {
  sink: Sink;
  isFull: boolean;
  /** Events waiting for the sink to accept more. */
  waiting: Map<string, Buffer>;
}

export interface Broadcasts {
  /** Sends events to the sink as they happen, `first` before them. */
  subscribe(audience: Audience, sink: Sink, first: Broadcast[]): { resume(): void; stop(): void };
  /** Sends an event to the streams of this process. */
  send(broadcast: Broadcast): void;
}

const bytesOf = ({ type, data }: Broadcast): Buffer =>
  Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);

const isFor = ({ memberId, topics }: Audience, broadcast: Broadcast): boolean =>
  topics.has(broadcast.topic) && (broadcast.memberId === undefined || broadcast.memberId === memberId);

function push(follower: Follower, { key }: Pick<Broadcast, 'key'>, bytes: Buffer): void {
  if (follower.isFull) follower.waiting.set(key, bytes);
  else follower.isFull = !follower.sink.write(bytes);
}

/** Keeps the streams of this process for transient events. */
export function createBroadcasts(): Broadcasts {
  const byOrg = new Map<string, Set<Follower>>();
  return {
    subscribe(audience, sink, first) {
      const follower: Follower = { ...audience, sink, isFull: false, waiting: new Map() };
      const followers = byOrg.get(audience.orgId) ?? new Set();
      byOrg.set(audience.orgId, followers.add(follower));
      for (const broadcast of first) if (isFor(follower, broadcast)) push(follower, broadcast, bytesOf(broadcast));
      return {
        resume() {
          follower.isFull = false;
          const waiting = [...follower.waiting];
          follower.waiting.clear();
          for (const [key, bytes] of waiting) push(follower, { key }, bytes);
        },
        stop() {
          followers.delete(follower);
          if (followers.size === 0 && byOrg.get(audience.orgId) === followers) byOrg.delete(audience.orgId);
        },
      };
    },
    send(broadcast) {
      const followers = [...(byOrg.get(broadcast.orgId) ?? [])].filter((follower) => isFor(follower, broadcast));
      if (followers.length === 0) return;
      const bytes = bytesOf(broadcast);
      for (const follower of followers) push(follower, broadcast, bytes);
    },
  };
}
