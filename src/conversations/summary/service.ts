import type { Db, Trx } from '../../db/connect.ts';
import { readSettings } from '../../orgs/service.ts';
import type { SessionChanges } from '../queries.ts';
import { hasWrittenSummary, listFirstAndLastMessages, type SaidMessage } from './queries.ts';
import { summaryOf } from './summary.rules.ts';

/** Marks a summary as made of sentences of the conversation. */
export const EXTRACTIVE = 'extractive-1';

/** Lists the messages of a session: its first 10 and its last 200, each up to 2,000 characters. */
export const listSaidMessages = (db: Db, orgId: string, sessionId: string): Promise<SaidMessage[]> =>
  listFirstAndLastMessages(db, orgId, sessionId);

export interface Digest {
  summary: string | null;
  /** The text of the first message. */
  opening: string | null;
}

/** Summarizes a session from its first and its last messages. */
export async function digestSession(db: Db, orgId: string, sessionId: string): Promise<Digest> {
  const messages = await listFirstAndLastMessages(db, orgId, sessionId);
  return { summary: summaryOf(messages), opening: messages[0]?.text ?? null };
}

/**
 * Returns the changes of a locked session's summary by its resolution. Without `isWanted` the org's setting decides
 * whether it gets one. A summary written by somebody stays.
 */
export async function summaryOfResolution(
  trx: Trx,
  orgId: string,
  sessionId: string,
  isWanted?: boolean,
): Promise<Pick<SessionChanges, 'summary' | 'summary_by'>> {
  const { generate_summary_and_sentiment_on_resolve: isDefault } = await readSettings(trx, orgId);
  if (!(isWanted ?? isDefault ?? false)) return {};
  if (await hasWrittenSummary(trx, orgId, sessionId)) return {};
  const { summary } = await digestSession(trx, orgId, sessionId);
  return summary === null ? {} : { summary, summary_by: EXTRACTIVE };
}

/** Returns the part of `ticket-resolved` about such a change of the summary. */
export const summarizesIf = ({ summary }: Pick<SessionChanges, 'summary'>): { summarizes?: true } =>
  typeof summary === 'string' ? { summarizes: true } : {};
