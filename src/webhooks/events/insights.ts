import type { z } from 'zod';
import type { Insight } from '../../insights/schema.ts';
import { getInsightSnapshots } from '../../insights/snapshots.service.ts';
import type { ClaimedEvent } from '../../outbox/claim.ts';
import { headOf, type Place, type Rendered, type Renderer } from './rendering.ts';

type InsightEvent = 'insight-created' | 'insight-reopened' | 'insight-resolved';

/** Renders each event whose insight exists, given the insight as the API shows it, and its ids for the thin form. */
async function renderEach<Type extends InsightEvent>(
  { trx, orgId, publicUrl }: Place,
  events: ClaimedEvent<Type>[],
  render: (
    event: ClaimedEvent<Type>,
    insight: z.input<typeof Insight>,
    ids: { insight_id: string; url: string },
  ) => Rendered,
): Promise<Rendered[]> {
  const ids = events.map(({ subject_id }) => subject_id);
  const insights = await getInsightSnapshots(trx, orgId, ids);
  return events.flatMap((event) => {
    const insight = insights.get(event.subject_id);
    if (insight === undefined) return [];
    return [render(event, insight, { insight_id: insight.id, url: `${publicUrl}/insights/${insight.id}` })];
  });
}

const occurred = (type: 'insight.created' | 'insight.reopened'): Renderer<'insight-created' | 'insight-reopened'> => ({
  makes: [type],
  render: (place, events) =>
    renderEach(place, events, (event, insight, ids) => {
      const { session_id } = event.payload;
      return { ...headOf(event), sessionId: null, type, full: { insight, session_id }, thin: { ...ids, session_id } };
    }),
});

export const insightCreated = occurred('insight.created');
export const insightReopened = occurred('insight.reopened');

export const insightResolved: Renderer<'insight-resolved'> = {
  makes: ['insight.resolved'],
  render: (place, events) =>
    renderEach(place, events, (event, insight, thin) => ({
      ...{ ...headOf(event), sessionId: null, type: 'insight.resolved', full: { insight }, thin },
    })),
};
