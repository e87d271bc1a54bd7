import { Context } from '@temporalio/activity';
import { answerTurn } from '../src/ai/turns/answering.service.ts';
import { assumeResolved } from '../src/ai/turns/assumption.service.ts';
import type { AssumedEnd, NextTurn, SessionRef, TurnEnd, TurnRef } from '../src/ai/turns/contract.ts';
import type { TurnDeps } from '../src/ai/turns/deps.ts';
import { reviewTurns } from '../src/ai/turns/review.service.ts';
import type { Db } from '../src/db/connect.ts';
import { semanticSearchOf } from '../src/knowledge/embedding/semantic-search.ts';
import type { HttpClient } from '../src/providers/egress/egress.ts';
import type { Secrets } from '../src/secrets.ts';

export interface AiTurnActivityDeps extends Pick<TurnDeps, 'sending'> {
  db: Db;
  egress: HttpClient;
  secrets: Secrets;
}

export type AiTurnActivities = ReturnType<typeof createAiTurnActivities>;

export function createAiTurnActivities({ db, egress, secrets, sending }: AiTurnActivityDeps) {
  const deps: TurnDeps = { db, sending, egress, secrets, semantics: semanticSearchOf(egress, secrets) };
  return {
    /** Returns the turn to do next. Repeated, it returns the same turn: a session has one that has not ended. */
    reviewTurns: (ref: SessionRef): Promise<NextTurn | null> => reviewTurns(db, ref),

    /** Does a turn. Repeated, it does nothing: the answer and the end of the turn are stored at once. */
    answerTurn: (ref: TurnRef): Promise<TurnEnd> => answerTurn(deps, ref, Context.current().cancellationSignal),

    /** Resolves a session whose contact has been quiet after an answer. Repeated, it finds the session resolved. */
    assumeResolved: (ref: SessionRef): Promise<AssumedEnd> => assumeResolved(db, ref),
  };
}
