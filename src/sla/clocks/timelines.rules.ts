import type { SessionFact } from '../../conversations/sessions/sla-facts.service.ts';

export type SlaMetric = 'first_reply' | 'next_reply' | 'resolution';

/** A period with the clock running. `end` is null if it still runs. */
export interface RunningPeriod {
  start: Date;
  end: Date | null;
}

export interface ClockChange {
  type: 'started' | 'paused' | 'resumed' | 'fulfilled';
  at: Date;
}

/** The history of one clock, independent of its target and of office hours. */
export interface ClockTimeline {
  metric: SlaMetric;
  cycle: number;
  startedAt: Date;
  stoppedAt: Date | null;
  /** Sorted and disjoint. None is empty except one still running. */
  runningPeriods: RunningPeriod[];
  changes: ClockChange[];
}

type ClockMode = 'running' | 'paused' | 'stopped';

/**
 * Returns the clocks of a session from its facts in order. Later facts never change an earlier part of a clock, with one
 * exception: the reopening of a session that came under its policy while it was closed, or by this reopening. Its clocks
 * count from then on, because no policy applied before that closing.
 *
 * - Resolution runs from the session's creation, is paused while the session waits on the customer, and stops while the
 *   session is closed. After a reopening it continues.
 * - First reply runs from the contact's first message, or the handoff if that is earlier, until the first message of a
 *   human agent. If an agent writes first, there is no such clock.
 * - Next reply runs from the contact's first message after an agent's until the next message of an agent. Each time is a
 *   new clock.
 * - An answer of the AI is no reply, but it leaves agents nothing to answer: before a handoff it pauses the clock of a
 *   reply until the contact writes again or the session is handed off. After the handoff it changes nothing, until the
 *   session is returned to the AI.
 * - Clocks of replies are paused while the session is closed. System messages change nothing.
 */
export function timelinesOf(createdAt: Date, facts: SessionFact[], appliedAt = createdAt): ClockTimeline[] {
  const resolution = startTimeline('resolution', 1, createdAt);
  const turns = [resolution];
  let reply: ClockTimeline | undefined;
  let nextReplies = 0;
  let [isClosed, isHandedOff, isWaitingOnCustomer, hasReplied, isAnsweredByAi] = [false, false, false, false, false];
  let at = createdAt;
  let closedAt: Date | undefined;

  const owe = () => {
    isAnsweredByAi = false;
    if (reply !== undefined) return;
    reply = hasReplied ? startTimeline('next_reply', ++nextReplies, at) : startTimeline('first_reply', 1, at);
    turns.push(reply);
  };

  for (const fact of facts) {
    if (fact.at > at) at = fact.at; // times are those of transaction starts and may be out of order
    switch (fact.kind) {
      case 'contact':
        isWaitingOnCustomer = false;
        owe();
        break;
      case 'human_agent':
        isWaitingOnCustomer = true;
        hasReplied = true;
        if (reply !== undefined) setMode(reply, 'stopped', at);
        reply = undefined;
        break;
      case 'ai':
        isWaitingOnCustomer = true;
        isAnsweredByAi = !isHandedOff;
        break;
      case 'handoff':
        isHandedOff = true;
        isWaitingOnCustomer = false;
        isAnsweredByAi = false;
        if (!hasReplied) owe();
        break;
      case 'takeover':
        isHandedOff = true;
        break;
      case 'returned':
        isHandedOff = false;
        break;
      case 'closed':
        if (!isClosed) closedAt = at;
        isClosed = true;
        break;
      case 'opened':
        if (isClosed && closedAt !== undefined && closedAt <= appliedAt) {
          resolution.runningPeriods = [];
          if (reply !== undefined) reply.runningPeriods = [];
        }
        isClosed = false;
        break;
    }
    setMode(resolution, isClosed ? 'stopped' : isWaitingOnCustomer ? 'paused' : 'running', at);
    if (reply !== undefined) setMode(reply, isClosed || isAnsweredByAi ? 'paused' : 'running', at);
  }
  return turns.toSorted((a, b) => METRIC_ORDER[a.metric] - METRIC_ORDER[b.metric] || a.cycle - b.cycle);
}

const METRIC_ORDER: Record<SlaMetric, number> = { first_reply: 0, next_reply: 1, resolution: 2 };

const startTimeline = (metric: SlaMetric, cycle: number, at: Date): ClockTimeline => ({
  metric,
  cycle,
  startedAt: at,
  stoppedAt: null,
  runningPeriods: [{ start: at, end: null }],
  changes: [{ type: 'started', at }],
});

function setMode(turn: ClockTimeline, to: ClockMode, at: Date): void {
  if (to === modeOf(turn)) return;
  const last = turn.runningPeriods.at(-1);
  if (to === 'running') turn.runningPeriods.push({ start: at, end: null });
  else if (last?.end === null) {
    if (last.start < at) last.end = at;
    else turn.runningPeriods.pop();
  }
  turn.stoppedAt = to === 'stopped' ? at : null;
  turn.changes.push({ type: to === 'running' ? 'resumed' : to === 'paused' ? 'paused' : 'fulfilled', at });
}

const modeOf = ({ stoppedAt, runningPeriods }: ClockTimeline): ClockMode =>
  stoppedAt !== null ? 'stopped' : runningPeriods.at(-1)?.end === null ? 'running' : 'paused';
