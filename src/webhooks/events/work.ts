import { getRunSnapshots } from '../../automations/runs/snapshots.service.ts';
import { getShownContacts } from '../../contacts/snapshots.service.ts';
import { getCrawlSnapshots } from '../../crawl/jobs/snapshots.service.ts';
import { getDeliverySnapshots } from '../../deliveries/ledger/snapshots.service.ts';
import type { ClaimedEvent } from '../../outbox/claim.ts';
import type { EventType } from '../../outbox/events.ts';
import { getSequenceSnapshots } from '../../sequences/definitions/snapshots.service.ts';
import { headOf, type Rendered, type Renderer } from './rendering.ts';

const subjectsOf = (events: ClaimedEvent<EventType>[]): string[] => events.map(({ subject_id }) => subject_id);

const TYPE_OF_RUN = { completed: 'workflow.run.succeeded', failed: 'workflow.run.failed' } as const;

export const runEnded: Renderer<'workflow-run-ended'> = {
  makes: Object.values(TYPE_OF_RUN),
  async render({ trx, orgId, publicUrl }, events) {
    const runs = await getRunSnapshots(trx, orgId, subjectsOf(events));
    return events.flatMap((event): Rendered[] => {
      const run = runs.get(event.subject_id);
      if (run === undefined) return [];
      const { id: run_id, workflow_id } = run;
      const thin = { run_id, workflow_id, url: `${publicUrl}/workflows/${workflow_id}/runs/${run_id}` };
      return [{ ...headOf(event), sessionId: null, type: TYPE_OF_RUN[event.payload.status], full: { run }, thin }];
    });
  },
};

const TYPE_OF_MILESTONE = {
  sent: 'delivery.sent',
  delivered: 'delivery.delivered',
  failed: 'delivery.failed',
  unknown: 'delivery.unknown',
} as const;

export const deliveryChanged: Renderer<'delivery-changed'> = {
  makes: Object.values(TYPE_OF_MILESTONE),
  async render({ trx, orgId, publicUrl }, events) {
    const deliveries = await getDeliverySnapshots(trx, orgId, subjectsOf(events));
    return events.flatMap((event): Rendered[] => {
      const delivery = deliveries.get(event.subject_id);
      if (delivery === undefined) return [];
      const { id: delivery_id, contact_id } = delivery;
      const thin = { delivery_id, contact_id, url: `${publicUrl}/deliveries/${delivery_id}` };
      const type = TYPE_OF_MILESTONE[event.payload.milestone];
      return [{ ...headOf(event), sessionId: null, type, full: { delivery }, thin }];
    });
  },
};

export const sequenceCompleted: Renderer<'sequence-completed'> = {
  makes: ['sequence.completed'],
  async render({ trx, orgId, publicUrl }, events) {
    const sequences = await getSequenceSnapshots(trx, orgId, subjectsOf(events));
    const contactIds = events.flatMap(({ payload }) => payload.enrollments.map(({ contact_id }) => contact_id));
    const contacts = await getShownContacts(trx, orgId, contactIds);
    return events.flatMap((event) =>
      event.payload.enrollments.flatMap(({ id, contact_id }): Rendered[] => {
        const sequence = sequences.get(event.subject_id);
        const contact = contacts.get(contact_id);
        if (sequence === undefined || contact === undefined) return [];
        const thin = { sequence_id: sequence.id, contact_id, url: `${publicUrl}/sequences/${sequence.id}` };
        const full = { sequence, contact };
        return [{ ...headOf(event, id), sessionId: null, type: 'sequence.completed', full, thin }];
      }),
    );
  },
};

export const crawlFinished: Renderer<'crawl-finished'> = {
  makes: ['crawl.finished'],
  async render({ trx, orgId, publicUrl }, events) {
    const crawls = await getCrawlSnapshots(trx, orgId, subjectsOf(events));
    return events.flatMap((event): Rendered[] => {
      const crawl = crawls.get(event.subject_id);
      if (crawl === undefined) return [];
      const { id: crawl_id, datasource_id } = crawl;
      const thin = { crawl_id, datasource_id, url: `${publicUrl}/crawl/${datasource_id}/crawls/${crawl_id}` };
      return [{ ...headOf(event), sessionId: null, type: 'crawl.finished', full: { crawl }, thin }];
    });
  },
};

export const citedPageChanged: Renderer<'cited-page-changed'> = {
  makes: ['knowledge.cited_page_changed'],
  render: async ({ publicUrl }, events) =>
    events.map((event): Rendered => {
      const { item_id, url, turns } = event.payload;
      const thin = { item_id, url: `${publicUrl}/autopilot/turns` };
      const full = { item_id, page_url: url, turns };
      return { ...headOf(event), sessionId: null, type: 'knowledge.cited_page_changed', full, thin };
    }),
};

const TYPE_OF_LEVEL = { warning: 'ai.budget_warning', exhausted: 'ai.budget_exhausted' } as const;

export const budgetReached: Renderer<'ai-budget-reached'> = {
  makes: Object.values(TYPE_OF_LEVEL),
  render: async ({ publicUrl }, events) =>
    events.map((event): Rendered => {
      const { level, ...full } = event.payload;
      const thin = { ...full, url: `${publicUrl}/autopilot/usage` };
      return { ...headOf(event), sessionId: null, type: TYPE_OF_LEVEL[level], full, thin };
    }),
};

export const webhookDisabled: Renderer<'webhook-disabled'> = {
  makes: ['webhook.disabled'],
  render: async ({ publicUrl }, events) =>
    events.map((event): Rendered => {
      const full = { endpoint_id: event.subject_id, because: event.payload.because };
      const thin = { ...full, url: `${publicUrl}/webhooks/${event.subject_id}` };
      return { ...headOf(event), sessionId: null, type: 'webhook.disabled', full, thin };
    }),
};
