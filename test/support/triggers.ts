import { TriggerType } from '../../src/automations/blocks/schema.ts';
import { triggerOutputSchema } from '../../src/automations/triggers/schema.ts';
import type { Db } from '../../src/db/connect.ts';
import type { TestOrg } from './stack/api.ts';

interface NewTrigger {
  name?: string;
  trigger_type: string;
  trigger_configuration?: unknown;
  trigger_constraints?: unknown;
  workflow_blocks?: unknown[];
}

export interface StartedRun {
  id: string;
  status: string;
  trigger_cause: string;
  trigger_key: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
  trigger_output: any;
  depth: number;
  error: string | null;
}

/** An active workflow that does nothing but start. Gives its id and where to post to, if anywhere. */
export async function activate(org: TestOrg, trigger: NewTrigger): Promise<{ id: string; url: string }> {
  const made = await org.post('/workflows', { name: trigger.trigger_type, workflow_blocks: [], ...trigger });
  if (made.status !== 201) throw new Error(`${made.status}: ${JSON.stringify(made.body)}`);
  const activated = await org.post(`/workflows/${made.body.workflow_id}/activate`, {});
  if (activated.status !== 200) throw new Error(`${activated.status}: ${JSON.stringify(activated.body)}`);
  return { id: made.body.workflow_id, url: made.body.webhook_url };
}

/**
 * All runs of a workflow, oldest first. Demands that each one's trigger output is as the catalogue says, no more and no
 * less.
 */
export async function expectRunsAsDescribed(db: Db, automationId: string): Promise<StartedRun[]> {
  const runs = await listRuns(db, automationId);
  for (const { trigger_output } of runs) {
    const schema = triggerOutputSchema(TriggerType.parse(trigger_output.trigger_type));
    schema.parse(trigger_output);
    expect(Object.keys(trigger_output).sort()).toEqual(Object.keys(schema.shape).sort());
  }
  return runs;
}

/** All runs of a workflow, oldest first. */
export const listRuns = (db: Db, automationId: string): Promise<StartedRun[]> =>
  db
    .selectFrom('automation_runs')
    .select(['id', 'status', 'trigger_cause', 'trigger_key', 'trigger_output', 'depth', 'error'])
    .where('automation_id', '=', automationId)
    .orderBy('created_at')
    .execute();
