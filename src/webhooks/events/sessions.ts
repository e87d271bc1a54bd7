import { getCallSnapshots } from '../../ai/calls/snapshots.service.ts';
import { getScoreSnapshots } from '../../csat/snapshots.service.ts';
import type { EventPayloads } from '../../outbox/events.ts';
import { policySnapshotsOf } from '../../sla/policies/snapshots.service.ts';
import { aboutSession, sessionsOf } from './conversations.ts';
import { headOf, type Rendered, type Renderer } from './rendering.ts';

export const ticketClosed = aboutSession<'ticket-closed'>(['conversation.closed'], ({ head, full, thin }) => ({
  ...head,
  type: 'conversation.closed',
  full,
  thin,
}));

export const csatRequested = aboutSession<'csat-requested'>(['csat.requested'], ({ head, full, thin }) => ({
  ...head,
  type: 'csat.requested',
  full,
  thin,
}));

export const scoreSubmitted: Renderer<'csat-score-submit'> = {
  makes: ['csat.score_submitted'],
  async render(place, events) {
    const scores = await getScoreSnapshots(
      place.trx,
      place.orgId,
      events.map(({ payload }) => payload.score_id),
    );
    const { render } = aboutSession<'csat-score-submit'>([], ({ head, full, thin }, { payload: { score_id } }) => ({
      ...head,
      type: 'csat.score_submitted',
      full: { ...full, score: scores.get(score_id) ?? null },
      thin: { ...thin, score_id },
    }));
    return render(place, events);
  },
};

type Metric = 'first_reply' | 'next_reply' | 'resolution';
type ClockEvent = {
  [Type in keyof EventPayloads]: Type extends `sla-${string}-${'warning' | 'breached'}` ? Type : never;
}[keyof EventPayloads];

/** Renders what a clock of the SLA has reached. */
export const clockReached = <Type extends ClockEvent>(
  type: 'sla.warning' | 'sla.breached',
  metric: Metric,
): Renderer<Type> => ({
  makes: [type],
  async render(place, events) {
    const payloadOf = (event: { payload: EventPayloads[ClockEvent] }) => event.payload;
    const ids = events.map((event) => payloadOf(event).policy_id);
    const policies = await policySnapshotsOf(place.trx, place.orgId, ids);
    const { render } = aboutSession<Type>([], ({ head, full, thin }, event) => {
      const { policy_id, cycle, due_at } = payloadOf(event);
      const clock = { metric, cycle, due_at };
      const policy = policies.get(policy_id) ?? null;
      return { ...head, type, full: { ...full, ...clock, policy }, thin: { ...thin, ...clock, policy_id } };
    });
    return render(place, events);
  },
});

const TYPE_OF_CALL = {
  confirmation_requested: 'ai.confirmation_requested',
  called: 'ai.action_called',
  unknown: 'ai.action_unknown',
} as const;

export const callChanged: Renderer<'ai-call-changed'> = {
  makes: Object.values(TYPE_OF_CALL),
  async render(place, events) {
    const ids = events.map(({ payload }) => payload.call_id);
    const calls = await getCallSnapshots(place.trx, place.orgId, ids);
    const sessions = await sessionsOf(
      place,
      events.map(({ subject_id }) => subject_id),
    );
    return events.flatMap((event): Rendered[] => {
      const { call_id, milestone } = event.payload;
      const [session, call] = [sessions.get(event.subject_id), calls.get(call_id)];
      if (session === undefined || call === undefined) return [];
      const full = { ...session.full, call };
      const head = { ...headOf(event), sessionId: event.subject_id };
      return [{ ...head, type: TYPE_OF_CALL[milestone], full, thin: { ...session.thin, call_id } }];
    });
  },
};
