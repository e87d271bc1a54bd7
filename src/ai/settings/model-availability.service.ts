import type { Db } from '../../db/connect.ts';
import { listConnections } from '../../orgs/integrations/service.ts';
import { getPublishedAiSettings } from './service.ts';

/** Returns whether the org lets a model be asked, and has one connected. */
export async function isModelInUse(db: Db, orgId: string): Promise<boolean> {
  if (!(await listConnections(db, orgId)).has('llm')) return false;
  return (await getPublishedAiSettings(db, orgId)).mode !== 'extractive';
}
