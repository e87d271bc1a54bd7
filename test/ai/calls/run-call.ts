import { runCall } from '../../../src/ai/calls/running.service.ts';
import { connect } from '../../../src/db/connect.ts';
import { createConnectionCalls } from '../../../src/orgs/integrations/calls.service.ts';
import { createEgress } from '../../../src/providers/egress/egress.ts';
import { createSecrets } from '../../../src/secrets.ts';

/** Runs one call in a process that a test can kill: node run-call.ts <database> <secret keys> <org> <call>. */
const [databaseUrl = '', secretKeys = '', orgId = '', callId = ''] = process.argv.slice(2);
const { db } = connect(databaseUrl, { poolSize: 2 });
const deps = {
  db,
  egress: createEgress({ allow: ['127.0.0.0/8'] }),
  secrets: createSecrets(secretKeys),
  calls: createConnectionCalls(db, console),
};
await runCall(deps, { orgId, callId, lockForEffect: async () => undefined }, new AbortController().signal);
process.exit(0);
