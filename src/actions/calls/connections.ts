import { notFound } from '../../errors.ts';
import { findConnectionSecrets } from '../../orgs/integrations/named-connections.service.ts';
import { withoutSecrets } from '../../orgs/integrations/secrets.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import type { StoredAction } from '../definitions/service.ts';
import type { CallDeps } from './deps.ts';

/** The headers of FareHarbor's External API that hold a connection's keys. */
const headersOf = ({ app_key = '', user_key = '' }: Record<string, string>) => ({
  'x-fareharbor-api-app': app_key,
  'x-fareharbor-api-user': user_key,
});

/**
 * Returns the client for an action's requests. An action of a connection is called with the connection's keys, which
 * replace headers of the same names and never show in an answer. Throws notFound if the connection is gone.
 */
export async function requestsOf(
  { db, egress, secrets, calls }: CallDeps,
  orgId: string,
  { connection }: Pick<StoredAction, 'connection'>,
): Promise<HttpClient> {
  if (connection === null) return egress;
  const { kind, name } = connection;
  const values = await findConnectionSecrets(db, secrets, orgId, { kind, name });
  if (values === undefined) throw notFound('connection');
  const observed = calls.observe(egress, { orgId, kind, name, settings: values });
  return {
    async request(url, options) {
      const answer = await observed.request(url, {
        ...options,
        headers: { ...options?.headers, ...headersOf(values) },
      });
      return { ...answer, body: withoutSecrets(answer.body, values) };
    },
  };
}
