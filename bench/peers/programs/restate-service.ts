import { createServer } from 'node:http2';

// A service of Restate that does what our workflow does: webhook, condition, call. Its SDK is not in this repository.
interface Context {
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
}

interface RestateSdk {
  service(definition: {
    name: string;
    handlers: Record<string, (context: Context, body: { total: number }) => Promise<void>>;
  }): unknown;
  createEndpointHandler(options: { services: unknown[] }): Parameters<typeof createServer>[1];
}

const { RESTATE_SDK = '', SINK_URL = '', PORT } = process.env;
const restate = (await import(RESTATE_SDK)) as RestateSdk;

async function call(total: number): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(SINK_URL, { method: 'POST', headers, body: JSON.stringify({ total }) });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`the sink answered ${answer.status}`);
  return answer.status;
}

const orders = restate.service({
  name: 'orders',
  handlers: {
    async receive(context, { total }) {
      if (total > 100) await context.run('call', () => call(total));
    },
  },
});

createServer({}, restate.createEndpointHandler({ services: [orders] })).listen(Number(PORT), '127.0.0.1');
