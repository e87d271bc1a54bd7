import { CrmError } from '../../errors.ts';
import type { HubspotApi } from '../api.ts';
import { ObjectRef } from '../contacts.ts';
import { listPipelines } from './pipelines.ts';
import { findTicket, TICKETS_PATH } from './tickets.ts';

/**
 * Moves a ticket to the stage, or to the first closed stage of its pipeline. Leaves a deleted or closed ticket
 * unchanged.
 */
export async function closeTicket(api: HubspotApi, ticketId: string, stageId: string | undefined): Promise<void> {
  if (stageId !== undefined) return updateStage(api, ticketId, stageId);
  const stages = await stagesOf(api, ticketId);
  if (stages === undefined) return;
  const { current, closed } = stages;
  if (current !== undefined && closed.includes(current)) return;
  if (closed[0] === undefined) {
    throw new CrmError(
      `The pipeline of ticket ${ticketId} closes tickets in none of its stages: set closed_stage_id in the settings of the CRM integration`,
      { transient: false },
    );
  }
  return updateStage(api, ticketId, closed[0]);
}

/**
 * Moves a closed ticket to the configured open stage, or to the first open stage of its pipeline. Leaves a deleted or
 * open ticket unchanged. `configured.closed` closes tickets too.
 */
export async function reopenTicket(
  api: HubspotApi,
  ticketId: string,
  configured: { open: string | undefined; closed: string | undefined },
): Promise<void> {
  const stages = await stagesOf(api, ticketId);
  if (stages?.current === undefined) return;
  const { current, closed } = stages;
  if (current !== configured.closed && !closed.includes(current)) return;
  const open = configured.open ?? stages.open.find((stage) => stage !== configured.closed);
  if (open === undefined) {
    throw new CrmError(
      `The pipeline of ticket ${ticketId} has no open stage: set open_stage_id in the settings of the CRM integration`,
      { transient: false },
    );
  }
  return updateStage(api, ticketId, open);
}

async function updateStage(api: HubspotApi, ticketId: string, stageId: string): Promise<void> {
  const path = `${TICKETS_PATH}/${encodeURIComponent(ticketId)}`;
  const body = { properties: { hs_pipeline_stage: stageId } };
  await api.find({ method: 'PATCH', path, body, what: 'a ticket' }, ObjectRef);
}

/** Whether the stage is the configured one or a closed stage of the ticket's pipeline. */
export async function isClosedStage(
  api: HubspotApi,
  ticketId: string,
  stageId: string,
  configured: string | undefined,
): Promise<boolean> {
  if (stageId === configured) return true;
  const stages = await stagesOf(api, ticketId);
  return stages?.closed.includes(stageId) === true;
}

/** Returns the stages of the ticket's pipeline in their order, or undefined if the ticket does not exist. */
async function stagesOf(
  api: HubspotApi,
  ticketId: string,
): Promise<{ current: string | undefined; open: string[]; closed: string[] } | undefined> {
  const ticket = await findTicket(api, ticketId, ['hs_pipeline', 'hs_pipeline_stage']);
  if (ticket === undefined) return undefined;
  const pipelines = await listPipelines(api);
  const stages = pipelines.find(({ id }) => id === ticket.properties.hs_pipeline)?.stages ?? [];
  const idsOf = (wanted: boolean) => stages.filter(({ isClosed }) => isClosed === wanted).map(({ id }) => id);
  return { current: ticket.properties.hs_pipeline_stage ?? undefined, open: idsOf(false), closed: idsOf(true) };
}
