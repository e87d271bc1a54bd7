import { offerWorkflow, withdrawWorkflow } from '../../ai/workflow-tools/service.ts';
import type { Trx } from '../../db/connect.ts';
import type { Json } from '../blocks/schema.ts';
import { AiConfiguration } from './configuration.schema.ts';

/** The active version of a workflow, as far as the AI is told of it. */
interface OfferedVersion {
  workflow_id: string;
  name: string;
  description: string | null;
  trigger_type: string;
  trigger_configuration: Json;
}

/**
 * Offers a workflow to the AI if its active version has an ai-trigger, and else no longer. Call it in the transaction that
 * activates the version.
 */
export async function syncAiTool(trx: Trx, orgId: string, version: OfferedVersion): Promise<void> {
  const { workflow_id: workflowId, name, description, trigger_type, trigger_configuration } = version;
  if (trigger_type !== 'ai-trigger') return withdrawWorkflow(trx, orgId, workflowId);
  const given = AiConfiguration.safeParse(trigger_configuration ?? {}).data ?? AiConfiguration.parse({});
  await offerWorkflow(trx, orgId, {
    workflowId,
    name,
    description: given.description ?? description,
    arguments: given.arguments ?? null,
    channels: given.channels ?? null,
    confirm: given.confirm,
    requiresVerified: given.requires_verified,
    limits: given.limits ?? null,
  });
}
