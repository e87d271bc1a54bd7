import { z } from 'zod';
import type { HubspotApi } from '../api.ts';
import { HubspotId } from '../ids.ts';

const Pipelines = z.object({
  results: z.array(
    z.object({
      id: HubspotId,
      displayOrder: z.number().catch(0),
      archived: z.boolean().nullish(),
      stages: z.array(
        z.object({
          id: HubspotId,
          displayOrder: z.number().catch(0),
          archived: z.boolean().nullish(),
          metadata: z.object({ ticketState: z.string().nullish() }).nullish(),
        }),
      ),
    }),
  ),
});

export interface Pipeline {
  id: string;
  stages: { id: string; isClosed: boolean }[];
}

/** Lists the pipelines of tickets and their stages, in their order. */
export async function listPipelines(api: HubspotApi): Promise<Pipeline[]> {
  const call = { method: 'GET', path: '/crm/v3/pipelines/tickets', what: 'the pipelines of tickets' } as const;
  const { results } = await api.request(call, Pipelines);
  return inOrder(results).map(({ id, stages }) => ({
    id,
    stages: inOrder(stages).map((stage) => ({ id: stage.id, isClosed: stage.metadata?.ticketState === 'CLOSED' })),
  }));
}

/**
 * Returns the first open stage of the pipeline, or of the first pipeline if none is given. Returns undefined if there
 * is none.
 */
export async function firstStageOf(
  api: HubspotApi,
  pipelineId: string | undefined,
): Promise<{ pipelineId: string; stageId: string } | undefined> {
  const pipelines = await listPipelines(api);
  const pipeline = pipelines.find(({ id }) => pipelineId === undefined || id === pipelineId);
  const stage = pipeline?.stages.find(({ isClosed }) => !isClosed);
  return pipeline === undefined || stage === undefined ? undefined : { pipelineId: pipeline.id, stageId: stage.id };
}

const inOrder = <T extends { displayOrder: number; archived?: boolean | null | undefined }>(things: T[]): T[] =>
  things.filter(({ archived }) => archived !== true).toSorted((one, other) => one.displayOrder - other.displayOrder);
