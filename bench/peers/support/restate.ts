import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startChild, waitUntilReady } from '../../../src/dev/child.ts';
import { anyFreePort } from '../../../src/dev/ports.ts';
import { installedFromNpm, NODE_ENV } from './from-npm.ts';
import { type PeerPlace, type RunsSide, startSink } from './runs.ts';

const PACKAGES = ['@restatedev/restate-server@1.7.12', '@restatedev/restate-sdk@1.17.2'];
const SERVICE = fileURLToPath(import.meta.resolve('../programs/restate-service.ts'));
const START_LIMIT_MS = 60_000;

/** Installs and starts Restate's server with one service that does the same as our workflow. */
export async function startRestate({ folder, logFile, guard }: PeerPlace): Promise<RunsSide> {
  const home = await installedFromNpm('restate-1.7.12', 'restate-server', PACKAGES);
  const sink = await startSink();
  const [ingress, admin, node, service] = [await port(), await port(), await port(), await port()];
  const own = { logFile, guard, cwd: folder };
  const program = await startChild(process.execPath, [SERVICE], {
    ...own,
    env: {
      ...NODE_ENV,
      RESTATE_SDK: pathToFileURL(join(home, 'node_modules/@restatedev/restate-sdk/dist/index.js')).href,
      PORT: service,
      SINK_URL: sink.url,
    },
  });
  const server = await startChild(join(home, 'node_modules/.bin/restate-server'), ['--base-dir', folder], {
    ...own,
    env: {
      ...NODE_ENV,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FILTER: 'warn',
    },
  });
  await waitUntilReady(server, logFile, () => register(`http://127.0.0.1:${admin}`, service), START_LIMIT_MS);
  const webhookUrl = `http://127.0.0.1:${ingress}/orders/receive/send`;
  return { name: 'Restate', webhookUrl, sink, pids: [server.pid, program.pid] };
}

const port = async (): Promise<string> => String(await anyFreePort());

async function register(adminUrl: string, service: string): Promise<void> {
  const answer = await fetch(`${adminUrl}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${service}` }),
  });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
}
