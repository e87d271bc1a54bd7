import { answerByQuotes } from '../../../src/ai/answers/extractive.service.ts';
import { insertClaims, insertSteps } from '../../../src/ai/turns/ending.queries.ts';
import { forEachConcurrently } from '../../../src/concurrency/limited.ts';
import { loadConfig } from '../../../src/config.ts';
import { connect } from '../../../src/db/connect.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { WORDS_ONLY } from '../../../src/knowledge/search/passage-search.service.ts';
import { serve } from '../processes.ts';

// The minimal loop for comparison: the same search, and the same rows in one transaction.
const config = loadConfig();
const { db } = connect(config.DATABASE_URL, { poolSize: config.DATABASE_POOL_SIZE });

interface Question {
  sessionId: string;
  question: string;
}

async function answer(orgId: string, { sessionId, question }: Question): Promise<void> {
  const thresholds = { words: 0, vectors: null };
  const found = await answerByQuotes(db, WORDS_ONLY, orgId, { question, channel: 'api', segments: [], thresholds });
  const [turnId, messageId] = [newId(), newId()];
  await inTransaction(db, async (trx) => {
    const { last_seq } = await trx
      .updateTable('sessions')
      .set((eb) => ({
        last_seq: eb('last_seq', '+', 1),
        last_message_at: new Date(),
        waiting_on: 'customers' as const,
      }))
      .where('org_id', '=', orgId)
      .where('id', '=', sessionId)
      .returning('last_seq')
      .executeTakeFirstOrThrow();
    const text = found.sources.map(({ quote }) => quote).join('\n');
    await trx
      .insertInto('session_events')
      .values({
        org_id: orgId,
        session_id: sessionId,
        seq: last_seq,
        id: messageId,
        type: 'message',
        sender: 'ai',
        content: text,
      })
      .execute();
    await trx
      .insertInto('ai_turns')
      .values({
        org_id: orgId,
        id: turnId,
        session_id: sessionId,
        number: 1,
        state: 'answered',
        first_seq: 1,
        last_seq: 1,
        answers: [],
        message_id: messageId,
        config_version: 0,
        due_at: new Date(),
        ended_at: new Date(),
      })
      .execute();
    await insertSteps(trx, orgId, turnId, [
      { step: 1, purpose: 'gates', latency_ms: 0, detail: {} },
      { step: 2, purpose: 'search', latency_ms: 0, detail: { passages: found.passages } },
    ]).execute();
    if (found.sources.length > 0) await insertClaims(trx, orgId, turnId, found.sources).execute();
  });
}

serve({
  answerAll: ({ orgId, questions, atOnce }: { orgId: string; questions: Question[]; atOnce: number }) =>
    forEachConcurrently(questions, atOnce, (question) => answer(orgId, question)),
});
