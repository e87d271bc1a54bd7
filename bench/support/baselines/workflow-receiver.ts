import Fastify from 'fastify';
import { forEachConcurrently } from '../../../src/concurrency/limited.ts';
import { loadConfig } from '../../../src/config.ts';
import { newId } from '../../../src/ids.ts';
import { connectTemporal } from '../../../src/temporal/client.ts';
import type { BenchEvent } from '../crm-batches.ts';
import { serve } from '../processes.ts';

// A route starting a workflow for each event, with the most useful concurrency on this server. It responds when all
// have started.
const MAX_CONCURRENT_STARTS = 50;
const { client } = connectTemporal(loadConfig());

const app = Fastify();
app.post<{ Body: BenchEvent[] }>('/workflows', async ({ body: events }) => {
  await forEachConcurrently(events, MAX_CONCURRENT_STARTS, async (event) => {
    await client.workflow.start('processEvent', { workflowId: newId(), taskQueue: 'naive', args: [event] });
  });
  return {};
});
const address = await app.listen({ host: '127.0.0.1', port: 0 });

serve({ url: async () => address });
