import { createHash } from 'node:crypto';
import type { WakeUps } from '../concurrency/wake-ups.ts';
import { findTurnLabel } from '../conversations/ai/service.ts';
import type { PresenceBoard } from '../conversations/presence/presence.ts';
import type { Db } from '../db/connect.ts';
import type { MediaLinks } from '../media/links.ts';
import { readHistory } from './messages.service.ts';
import type { PollStart } from './schema.ts';
import type { Visitor } from './visitors.service.ts';

/** More widgets of a process do not wait: each holds memory and a connection. */
const MAX_WAITING = 2_000;
const STATE_CHARACTERS = 16;

interface PollDeps {
  mediaLinks: MediaLinks;
  presence: Pick<PresenceBoard, 'isTypedIn'>;
  widgetPolls: WakeUps;
}

type Poll = PollStart & { id: string; signal: AbortSignal };

let waiting = 0;

/**
 * Returns the visitor's session with its history after `since` and what is done in it now. With `wait`, it answers once
 * there is something new, or undefined after these seconds. Throws the same errors as readHistory.
 */
export async function pollSession(db: Db, deps: PollDeps, visitor: Visitor, poll: Poll) {
  const waitMs = (poll.wait ?? 0) * 1_000;
  if (waitMs === 0 || waiting >= MAX_WAITING) return look(db, deps, visitor, poll);
  waiting++;
  try {
    return await waitForNews(db, deps, visitor, { ...poll, until: Date.now() + waitMs });
  } finally {
    waiting--;
  }
}

/** Looks once and then after each notification about the session: a lost one costs the rest of the wait. */
async function waitForNews(db: Db, deps: PollDeps, visitor: Visitor, poll: Poll & { until: number }) {
  for (;;) {
    const stop = new AbortController();
    const signal = AbortSignal.any([poll.signal, stop.signal]);
    const woken = deps.widgetPolls.sleep(poll.id, Math.max(poll.until - Date.now(), 0), signal); // before the look: none is missed
    try {
      const polled = await look(db, deps, visitor, poll);
      if (polled.history.length > 0 || (poll.state !== undefined && poll.state !== polled.state)) return polled;
      await woken;
    } finally {
      stop.abort();
    }
    if (poll.signal.aborted || Date.now() >= poll.until) return undefined;
  }
}

async function look(db: Db, { mediaLinks, presence }: PollDeps, visitor: Visitor, { id, since }: Poll) {
  const { session, history } = await readHistory(db, mediaLinks, visitor, { id, since });
  const activity = {
    agent_typing: presence.isTypedIn({ orgId: visitor.orgId, sessionId: id }),
    ai_label: await findTurnLabel(db, visitor.orgId, id),
  };
  return { session, history, activity, state: stateOf({ session, activity }) };
}

const stateOf = (seen: object): string =>
  createHash('sha256').update(JSON.stringify(seen)).digest('base64url').slice(0, STATE_CHARACTERS);
