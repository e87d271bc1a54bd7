import type { AiSettings } from '../ai/settings/schema.ts';
import { getAiSettings, lockStoredConfig, publishDraft } from '../ai/settings/service.ts';
import type { Db, Trx } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { conflict } from '../errors.ts';
import { findRunOf } from './runs.queries.ts';
import { shareOf } from './runs.service.ts';

/**
 * Publishes the draft. A draft that is published already makes no new version. Throws conflict if `publish_requires` of
 * the draft, or of what is published, wants a run of this draft that has passed.
 */
export function publishAiSettings(db: Db, orgId: string) {
  return inTransaction(db, async (trx) => {
    const { draft, published } = await lockStoredConfig(trx, orgId);
    const minPass = Math.max(draft.publish_requires?.min_pass ?? 0, published.publish_requires?.min_pass ?? 0);
    if (minPass > 0) await assertPassed(trx, orgId, draft, minPass);
    await publishDraft(trx, orgId);
    return getAiSettings(trx, orgId);
  });
}

async function assertPassed(trx: Trx, orgId: string, draft: Partial<AiSettings>, minPass: number): Promise<void> {
  const run = await findRunOf(trx, orgId, draft);
  const wanted = `publish_requires wants ${percentOf(minPass)} of the evals to pass`;
  if (run === undefined)
    throw conflict(`${wanted}, and this draft was not run: run it by POST /autopilot/evals/runs {"settings": "draft"}`);
  const share = shareOf(run);
  if (share < minPass)
    throw conflict(
      `${wanted}, and ${run.passed} of ${run.cases} did in the last run of this draft, ${run.id}: change the draft or the cases, and run it again`,
    );
}

const percentOf = (share: number): string => `${Number((share * 100).toFixed(2))} %`;
