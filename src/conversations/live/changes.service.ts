import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/connect.ts';
import type { ConfirmationsPort } from '../inbox/confirmations.port.ts';
import { readRows, type SharedRow } from '../inbox/rows.service.ts';
import type { Change } from './rules.ts';
import { inboxEventJson } from './schema.ts';
import { membersOf, type Subscriber, type Subscribers } from './subscribers.ts';

/** Changes within this time are read together. */
const COALESCE_MS = 50;
const MAX_PER_READ = 500;

interface ChangeFeed {
  /** Tells the streams of inboxes of changes. Those of orgs without one cost nothing. */
  add(changes: Change[]): void;
  /** Repeats to a subscriber the changes it missed while full. */
  repeat(subscriber: Subscriber): void;
  close(): Promise<void>;
}

interface Deps {
  db: Db;
  log: Record<'warn', (details: object, message: string) => void>;
  confirmations: ConfirmationsPort;
  subscribers: Subscribers;
}

/**
 * Sends the streams of inboxes the changes missing from histories: each changed session once for all changes within a
 * short time.
 */
export function createChangeFeed(deps: Deps): ChangeFeed {
  const waiting = new Map<string, Change>();
  let current: Promise<void> | undefined;

  const add = (changes: Change[]) => {
    for (const change of changes) {
      const key = Object.values(change).join(' ');
      if (deps.subscribers.ofInbox(change.orgId).length > 0) waiting.set(key, change);
    }
    if (waiting.size > 0) current ??= tellAll().finally(() => (current = undefined));
  };
  const tellAll = async () => {
    while (waiting.size > 0) {
      await sleep(COALESCE_MS, undefined, { ref: false });
      const next = [...waiting].slice(0, MAX_PER_READ);
      for (const [key] of next) waiting.delete(key);
      await tell(
        deps,
        next.map(([, change]) => change),
      );
    }
  };

  return {
    add,
    repeat({ cursor: { orgId }, missed }) {
      add([...missed].map((sessionId) => ({ orgId, sessionId })));
      missed.clear();
    },
    async close() {
      waiting.clear();
      await current;
    },
  };
}

async function tell({ db, log, confirmations, subscribers }: Deps, changes: Change[]): Promise<void> {
  const audiences = new Map(changes.map(({ orgId }) => [orgId, subscribers.ofInbox(orgId)]));
  const keys = new Map(changes.map(({ orgId, sessionId: id }) => [id, { orgId, id }]));
  try {
    const found = await readRows(db, [...keys.values()], membersOf([...audiences.values()].flat()), confirmations);
    const rows = new Map(found.map((row) => [row.id, row]));
    for (const change of changes)
      for (const subscriber of audiences.get(change.orgId) ?? []) send(subscriber, change, rows.get(change.sessionId));
  } catch (error) {
    log.warn({ err: error }, 'changes of sessions could not be sent to live streams');
  }
}

function send(subscriber: Subscriber, { sessionId, memberId }: Change, row: SharedRow | undefined): void {
  if (row === undefined || (memberId !== undefined && memberId !== subscriber.memberId)) return;
  if (subscriber.isFull) {
    subscriber.missed.add(sessionId);
    return;
  }
  const type = memberId === undefined ? 'session_changed' : 'read';
  const data = inboxEventJson({ type, session_id: sessionId, row: row.rowFor(subscriber.memberId) });
  subscriber.isFull = !subscriber.sink.write(Buffer.from(`event: ${type}\ndata: ${data}\n\n`));
}
