import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { findTemporalCli } from '../../src/dev/temporal-programs.ts';
import { temporalAddress, testNamespace } from '../support/stack/servers.ts';

const SCRIPT = fileURLToPath(new URL('../../deploy/temporal-namespace.sh', import.meta.url));

it('a changed TEMPORAL_RETENTION is applied to a namespace that exists', async () => {
  const connection = await Connection.connect({ address: temporalAddress() });
  const namespace = testNamespace();
  const hours = async () => {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    return Number(config?.workflowExecutionRetentionTtl?.seconds) / 3_600;
  };
  const start = async (retention: string) => {
    const env = {
      PATH: `${dirname(await findTemporalCli())}:${process.env.PATH}`,
      TEMPORAL_ADDRESS: temporalAddress(),
      TEMPORAL_NAMESPACE: namespace,
      TEMPORAL_RETENTION: retention,
    };
    await promisify(execFile)('sh', [SCRIPT], { env });
  };
  try {
    const before = await hours();
    await start('30d');
    expect(await hours()).toBe(720);
    await start(`${before}h`);
    expect(await hours()).toBe(before);
  } finally {
    await connection.close();
  }
});
