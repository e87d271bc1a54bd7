import { listTaggedTexts } from '../conversations/sessions/tagging.service.ts';
import type { Db } from '../db/connect.ts';
import type { TaggingResult } from './contract.ts';
import type { TagLearner } from './learner.ts';
import type { TaggedText } from './learning.rules.ts';
import { upsertModel } from './queries.ts';
import { requestDailyLearning } from './service.ts';

const MAX_SESSIONS = 20_000;
/** With the limit of sessions it bounds the memory and the time that learning takes. */
const MAX_CHARACTERS = 10_000_000;
const SESSIONS_PER_BATCH = 500;

/**
 * Learns an org's tags from its latest tagged sessions, and stores the model. Learning takes place in a thread. Afterwards
 * it is the turn of the next orgs whose day is over. Repeated, it learns the same.
 */
export async function learnTagsOf(
  db: Db,
  learner: TagLearner,
  orgId: string,
  signal: AbortSignal,
): Promise<TaggingResult> {
  let sessions = 0;
  const read = async () => {
    const texts = await listTexts(db, orgId, signal);
    sessions = texts.length;
    return { texts };
  };
  const { tags, model } = await learner.learn(orgId, read, signal);
  await upsertModel(db, orgId, { sessions, tags, model });
  await requestDailyLearning(db);
  return { sessions, applied: tags.filter(({ state }) => state === 'applied').length };
}

async function listTexts(db: Db, orgId: string, signal: AbortSignal): Promise<TaggedText[]> {
  const texts: TaggedText[] = [];
  let characters = 0;
  let before: string | null = null;
  while (texts.length < MAX_SESSIONS && characters < MAX_CHARACTERS) {
    signal.throwIfAborted();
    const limit = Math.min(SESSIONS_PER_BATCH, MAX_SESSIONS - texts.length);
    const sessions = await listTaggedTexts(db, orgId, { before, limit });
    const last = sessions.at(-1);
    if (last === undefined) break;
    for (const { text, tags, unsure } of sessions) {
      if (text === '') continue;
      characters += text.length;
      texts.push({ text, tags, unsure });
    }
    before = last.id;
  }
  return texts;
}
