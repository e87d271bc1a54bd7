import { DefaultLogger, Runtime } from '@temporalio/worker';

let isInstalled = false;

/** Temporal's runtime for this test process: quiet, and leaving signals to Jest. */
export function installRuntime(): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
  });
}
