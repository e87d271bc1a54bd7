import { sql } from 'kysely';
import { anyFreePort } from '../../src/dev/ports.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';
import { startProgram } from './support/program.ts';

let base: TestApi;
beforeAll(async () => {
  base = await startApi({ isInProcess: true });
});
afterAll(() => base.close());

it('a line about a request has the ids of its request and its org, and each key once', async () => {
  const port = String(await anyFreePort());
  const env = { JWT_SECRET: base.config.JWT_SECRET, RATE_LIMIT_STORE: 'memory' };
  const program = await startProgram('api', { DATABASE_URL: base.databaseUrl, PORT: port, ...env });
  await program.find('listening', ({ msg }) => msg.startsWith('Server listening'));

  await sql`alter table contacts rename to away`.execute(base.db);
  const headers = { authorization: `Bearer ${base.org.key}` };
  // A busy machine sheds load just after the start.
  const failed = await eventually('an answer about the table', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/contacts`, { headers });
    return answer.status !== 503 && answer;
  });
  await sql`alter table away rename to contacts`.execute(base.db);
  expect({ status: failed.status, body: await failed.text() }).toMatchObject({ status: 500 });
  const requestId = String(failed.headers.get('x-request-id'));
  const line = await program.find('its line', (one) => one.requestId === requestId);
  await program.stop();

  expect(line).toMatchObject({ level: 50, name: 'api', orgId: base.org.id, msg: 'request failed' });
  const written =
    program
      .text()
      .split('\n')
      .find((one) => one.includes(requestId)) ?? '';
  for (const key of ['requestId', 'orgId', 'level']) expect(written.split(`"${key}":`)).toHaveLength(2);
});
