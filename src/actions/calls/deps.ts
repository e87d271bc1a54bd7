import type { Db } from '../../db/connect.ts';
import type { ConnectionCalls } from '../../orgs/integrations/calls.service.ts';
import type { HttpClient, StreamClient } from '../../providers/egress/egress.ts';
import type { Secrets } from '../../secrets.ts';

/** What calls of actions need. */
export interface CallDeps {
  db: Db;
  egress: HttpClient & StreamClient;
  secrets: Secrets;
  /** Where the ends of calls through connections are recorded. */
  calls: ConnectionCalls;
}
