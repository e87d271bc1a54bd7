import type { SessionFact } from '../conversations/sessions/sla-facts.service.ts';

export type SlaMetric = 'first_reply' | 'next_reply' | 'resolution';

/** Time through which a clock runs. `end` is null for one that goes on. */
export interface RunningPeriod {
  start: Date;
  end: Date | null;
}

export interface ClockChange {
  type: 'started' | 'paused' | 'resumed' | 'fulfilled';
  at: Date;
}

/** What one clock did, whatever its target and the hours that count. */
export interface ClockTimeline {
  metric: SlaMetric;
  cycle: number;
  startedAt: Date;
  stoppedAt: Date | null;
  /** In order, apart, none empty but the one that goes on. */
  runningPeriods: RunningPeriod[];
  changes: ClockChange[];
}

type ClockMode = 'running' | 'paused' | 'stopped';

/**
 * The clocks of a session from its facts in order; what was so before stays so when facts are added.
 *
 * - resolution runs from the session's creation, is paused while the session waits on the customer, and stops while it is closed: a
 *   reopened session goes on where it stopped.
 * - first reply runs from the contact's first message, or from the handoff where that comes first, until the first message of a person.
 *   Where a person speaks first there is none.
 * - next reply runs from the contact's first message after a person's until the next one of a person, each time anew.
 * - An answer of the AI is no reply, but people owe nothing while it stands: before a handoff it pauses a reply's clock until the contact
 *   writes again or the session is handed off. After the handoff it changes nothing.
 * - Clocks of replies are paused while the session is closed. System messages change nothing.
 */
export function timelinesOf(createdAt: Date, facts: SessionFact[]): ClockTimeline[] {
  const resolution = startTimeline('resolution', 1, createdAt);
  const turns = [resolution];
  let reply: ClockTimeline | undefined;
  let nextReplies = 0;
  let [isClosed, isHandedOff, isWaitingOnCustomer, hasReplied, isAnsweredByAi] = [false, false, false, false, false];
  let at = createdAt;

  const owe = () => {
    isAnsweredByAi = false;
    if (reply !== undefined) return;
    reply = hasReplied ? startTimeline('next_reply', ++nextReplies, at) : startTimeline('first_reply', 1, at);
    turns.push(reply);
  };

  for (const fact of facts) {
    if (fact.at > at) at = fact.at; // transactions that waited for each other carry the times at which they began
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
      case 'closed':
        isClosed = true;
        break;
      case 'opened':
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
