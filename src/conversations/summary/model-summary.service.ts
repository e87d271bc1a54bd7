import type { Db, Trx } from '../../db/connect.ts';
import { updateSession } from '../queries.ts';
import type { SessionStatus } from '../sessions/schema.ts';
import type { Handoff, SessionsTable } from '../table.ts';
import { countUnchangedMessages, findSummaryState, listFirstAndLastMessages, type SaidMessage } from './queries.ts';
import { EXTRACTIVE } from './service.ts';

export type { SaidMessage } from './queries.ts';

/** When a session gets a summary. */
export type SummaryOccasion = 'handoff' | 'resolution';

export type Sentiment = NonNullable<SessionsTable['sentiment']>;

/** The material of a model's summary. */
export interface SummaryBasis {
  /** When the session was handed off or resolved. */
  at: Date;
  language: string | null;
  messages: SaidMessage[];
}

/**
 * Returns a model's material for a summary: a session with a summary of its own sentences for its handoff or
 * resolution. Undefined if it has none, if somebody wrote one, or if the session was reopened.
 */
export async function findSummaryBasis(
  db: Db,
  orgId: string,
  sessionId: string,
  occasion: SummaryOccasion,
): Promise<SummaryBasis | undefined> {
  const session = await findSummaryState(db, orgId, sessionId);
  if (session === undefined) return undefined;
  const { handoff, language } = session;
  const at = occasion === 'handoff' ? timeOfHandoff(handoff) : timeOfResolution(session);
  if (at === undefined) return undefined;
  return { at, language, messages: await listFirstAndLastMessages(db, orgId, sessionId) };
}

const timeOfHandoff = (handoff: Handoff | null): Date | undefined =>
  handoff?.summary_by === EXTRACTIVE ? new Date(handoff.at) : undefined;

const timeOfResolution = ({
  status,
  summary_by,
  closed_at,
}: {
  status: SessionStatus;
  summary_by: string | null;
  closed_at: Date | null;
}): Date | undefined =>
  status === 'closed_resolved' && summary_by === EXTRACTIVE && closed_at !== null ? closed_at : undefined;

/** Returns whether messages still have their texts: none was redacted, deleted or edited since they were read. */
export const haveTexts = async (trx: Trx, orgId: string, messages: SaidMessage[]): Promise<boolean> =>
  (await countUnchangedMessages(trx, orgId, messages)) === messages.length;

/** A model's summary of a session. Without a summary, the one of its sentences stays. */
export interface ModelSummary {
  summary: string | null;
  sentiment: Sentiment | null;
  model: string;
}

/** Stores a model's summary of a locked session. */
export async function storeModelSummary(
  trx: Trx,
  orgId: string,
  { id, handoff }: { id: string; handoff: Handoff | null },
  occasion: SummaryOccasion,
  { summary, sentiment, model }: ModelSummary,
): Promise<void> {
  const written = summary === null ? {} : { summary, summary_by: model };
  const change =
    occasion === 'resolution' ? written : { handoff: JSON.stringify({ ...handoff, ...written, sentiment }) };
  await updateSession(trx, orgId, id, { ...change, sentiment });
}
