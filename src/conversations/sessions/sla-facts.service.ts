import type { Db, Trx } from '../../db/connect.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { recordEvents } from '../change-session.service.ts';
import { findSessionState, listFactEvents } from './sla-facts.queries.ts';

/** A fact of a session relevant to its clocks: a message, a handoff, a takeover, a return to the AI, or a change of status. */
export interface SessionFact {
  at: Date;
  kind: 'contact' | 'human_agent' | 'ai' | 'handoff' | 'takeover' | 'returned' | 'closed' | 'opened';
}

export interface SessionSlaFacts {
  createdAt: Date;
  isClosed: boolean;
  /** Length of the chain of workflow runs behind its opening or reopening, while nobody has written in it. */
  depth: number;
  facts: SessionFact[];
}

/** Returns the facts of a session relevant to its SLA clocks. */
export async function getSlaFacts(db: Db, orgId: string, sessionId: string): Promise<SessionSlaFacts> {
  const session = await findSessionState(db, orgId, sessionId);
  if (session === undefined) throw notFound('session');
  const turns = await listFactEvents(db, orgId, sessionId);
  const facts = turns.flatMap(({ type, sender, to, created_at: at }): SessionFact[] => {
    if (type === 'handoff') return [{ at, kind: 'handoff' }];
    if (type === 'human_agent_takeover') return [{ at, kind: 'takeover' }];
    if (type === 'returned_to_ai') return [{ at, kind: 'returned' }];
    if (type === 'status_changed') return [{ at, kind: to === 'open' ? 'opened' : 'closed' }];
    return sender === null || sender === 'system' ? [] : [{ at, kind: sender }];
  });
  const { created_at: createdAt, status, active_depth: depth } = session;
  return { createdAt, isClosed: status !== 'open', depth, facts };
}

/** Records events of the SLA clocks in a session's history. */
export async function recordSlaEvents(
  trx: Trx,
  orgId: string,
  sessionId: string,
  events: Omit<Parameters<typeof recordEvents>[3][number], 'id'>[],
): Promise<void> {
  if (events.length > 0) {
    await recordEvents(
      trx,
      orgId,
      sessionId,
      events.map((event) => ({ id: newId(), ...event })),
    );
  }
}
