import { Context } from '@temporalio/activity';
import { answerTurn } from '../../src/ai/turns/answering.service.ts';
import { answerDueTurn, answerInline } from '../../src/ai/turns/answering-inline.service.ts';
import { assumeResolved } from '../../src/ai/turns/assumption.service.ts';
import type {
  AssumedEnd,
  FoundTurn,
  NextTurn,
  SessionRef,
  StepName,
  TurnEnd,
  TurnRef,
} from '../../src/ai/turns/contract.ts';
import type { TurnDeps } from '../../src/ai/turns/deps.ts';
import { reviewTurns } from '../../src/ai/turns/review/service.ts';
import type { Db } from '../../src/db/connect.ts';
import type { SemanticSearch } from '../../src/knowledge/search/passage-search.service.ts';
import type { ConnectionCalls } from '../../src/orgs/integrations/calls.service.ts';
import type { HttpClient, StreamClient } from '../../src/providers/egress/egress.ts';
import type { Secrets } from '../../src/secrets.ts';
import { findChatContext } from '../../src/widget/visitors.service.ts';

export interface AiTurnActivityDeps extends Pick<TurnDeps, 'sending' | 'publicUrl'> {
  db: Db;
  egress: HttpClient & StreamClient;
  calls: ConnectionCalls;
  secrets: Secrets;
  semantics: SemanticSearch;
}

export type AiTurnActivities = ReturnType<typeof createAiTurnActivities>;

/** Returns what turns need, with what other domains do for them. */
export const turnDepsOf = ({
  db,
  egress,
  calls,
  secrets,
  semantics,
  sending,
  publicUrl,
}: AiTurnActivityDeps): TurnDeps => ({
  db,
  egress,
  calls,
  secrets,
  sending,
  publicUrl,
  semantics,
  chatContextOf: findChatContext,
});

export function createAiTurnActivities(given: AiTurnActivityDeps) {
  const { db } = given;
  const deps = turnDepsOf(given);
  return {
    /** Returns the turn to do next. Repeated, it returns the same turn: a session has one that has not ended. */
    reviewTurns: (ref: SessionRef): Promise<NextTurn | null> => reviewTurns(db, ref),

    /**
     * Does a turn as far as it needs no model and no action, and returns how it ended, or its next step. Repeated, it does
     * nothing: the answer and the end of the turn are stored at once.
     */
    answerTurn: (ref: TurnRef): Promise<TurnEnd | StepName> =>
      answerTurn(deps, ref, { steps: 0, callsOut: true, signal: Context.current().cancellationSignal }),

    /** Does a turn that is due as far as it needs no third party at all, so that it takes some milliseconds. */
    answerAtOnce: (ref: TurnRef): Promise<TurnEnd | StepName> =>
      answerInline(deps, ref, Context.current().cancellationSignal),

    /**
     * Takes the next step of a turn, and goes on as far as the one after it. Repeated, it takes the step again only if
     * its decision was not stored.
     */
    takeStep: (ref: TurnRef): Promise<TurnEnd | StepName> =>
      answerTurn(deps, ref, { steps: 1, callsOut: true, signal: Context.current().cancellationSignal }),

    /**
     * Returns the turn to do next, and does it as far as it needs no third party if it is due. Repeated, it does nothing
     * that was done.
     */
    answerDueTurn: (ref: SessionRef): Promise<FoundTurn> =>
      answerDueTurn(deps, ref, Context.current().cancellationSignal),

    /** Resolves a session whose contact has been quiet after an answer. Repeated, it finds the session resolved. */
    assumeResolved: (ref: SessionRef): Promise<AssumedEnd> => assumeResolved(db, ref),
  };
}
