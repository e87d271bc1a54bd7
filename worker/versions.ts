import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { Config } from '../src/config.ts';
import { VERSION } from '../src/operations/health.ts';

/** Returns the version of a worker in its Worker Deployment. Undefined: workers are not versioned. */
export const versionOf = ({
  WORKER_DEPLOYMENT: deploymentName,
  WORKER_BUILD_ID: buildId = VERSION,
}: Config): WorkerDeploymentVersion | undefined =>
  deploymentName === undefined ? undefined : { deploymentName, buildId };
