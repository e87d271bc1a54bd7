import { TestWorkflowEnvironment } from '@temporalio/testing';

const [kind, downloadDir] = process.argv.slice(2);
const server = { executable: { type: 'cached-download' as const, downloadDir } };
const environment =
  kind === 'time-skipping'
    ? await TestWorkflowEnvironment.createTimeSkipping({ server })
    : await TestWorkflowEnvironment.createLocal({ server });
await environment.teardown();
