import type { Db } from '../../db/connect.ts';
import { CONNECTION_NAME } from '../../orgs/integrations/secrets.ts';
import { type IntegrationDeps, readIntegrations } from '../../orgs/integrations/service.ts';
import { getEmbeddingInUse, type KnowledgeModelDeps } from './models.ts';

/** An org without an llm integration. */
const NOT_CONNECTED = {
  kind: 'llm',
  name: CONNECTION_NAME,
  provider: null,
  settings: {},
  connected: null,
  last_success_at: null,
  last_error: null,
  last_error_at: null,
  failing_since: null,
  warnings: [],
  created_at: null,
  updated_at: null,
};

/** Returns an org's llm integration, connected or not, and what compares its questions with the knowledge. */
export async function getLlmIntegration(
  db: Db,
  { models, ...deps }: IntegrationDeps & { models: KnowledgeModelDeps },
  orgId: string,
) {
  const [shown, embedding] = await Promise.all([
    readIntegrations(db, deps, orgId),
    getEmbeddingInUse(db, orgId, models),
  ]);
  return { ...(shown.find(({ kind }) => kind === 'llm') ?? NOT_CONNECTED), embedding };
}
