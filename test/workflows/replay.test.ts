import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { installRuntime } from '../support/runtime.ts';
import { testWorkflowBundle } from '../support/servers.ts';

installRuntime();

const FOLDER = new URL('./histories/', import.meta.url);
const histories = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

const read = (name: string) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));

describe('workflows as they are now replay histories of runs from before', () => {
  it.each(histories)('%s', async (name) => {
    await Worker.runReplayHistory({ workflowBundle: testWorkflowBundle() }, read(name));
  });

  it('would notice a change', async () => {
    const history = read('sequence-two-steps.json');
    const scheduled = history.events.find(({ eventType }: { eventType: string }) =>
      eventType.endsWith('ACTIVITY_TASK_SCHEDULED'),
    );
    scheduled.activityTaskScheduledEventAttributes.activityType.name = 'somethingElse';
    await expect(Worker.runReplayHistory({ workflowBundle: testWorkflowBundle() }, history)).rejects.toThrow(
      /[Nn]ondeterminism/,
    );
  });
});
