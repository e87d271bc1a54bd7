import { settleDeliveries } from '../../src/deliveries/sending/outcomes.queries.ts';
import { settlementOf } from '../../src/deliveries/sending/outcomes.rules.ts';
import type { SendOutcome } from '../../src/providers/sending.ts';
import {
  beginChunk,
  type DueStep,
  prepareBatch,
  type SequenceBatch,
} from '../../src/sequences/sending/batch.service.ts';
import { getSendingPolicy, sendRuleOf } from '../../src/sequences/sending/policy.service.ts';
import { advanceSettled } from '../../src/sequences/sending/queries.ts';
import { contentOf, isPersonal, senderOf } from '../../src/sequences/steps/content.rules.ts';
import type { TestApi } from './stack/api.ts';

/** What an attempt took of a sequence: the first step that was due, and who was to get it. */
export interface PreparedAttempt {
  lease: string;
  sequence: SequenceBatch['sequence'];
  step: DueStep | undefined;
}

interface BeginOptions {
  staysWhile?: ReturnType<typeof sendRuleOf>['staysWhile'];
  /** Claims the sends ahead, with positions from this one on. */
  firstPosition?: number | null;
}

/**
 * What a worker does for a sequence of the api's org, part by part, so that a test may end an attempt, or have it be
 * late, in the middle.
 */
export function attemptsOf({ db, org }: TestApi, sequenceId: string) {
  const provider = 'smtp';
  return {
    /** Puts the sequence in order and gives the first step that is due, with those who are to get it. */
    async take(lease: string): Promise<PreparedAttempt | undefined> {
      const batch = await prepareBatch(db, org.id, sequenceId, { lease, limit: 100, isAway: () => false });
      return batch && { lease, sequence: batch.sequence, step: batch.steps[0] };
    },
    /** Records the start of taken sends. Returns the ids of their deliveries. */
    async begin({ lease, sequence, step }: PreparedAttempt, { firstPosition = null, ...more }: BeginOptions = {}) {
      if (step === undefined) return [];
      const { action, stepId, positions, enrollmentIds } = step;
      const terms = await getSendingPolicy(db, org.id, sequence);
      const send = {
        ...sendRuleOf(org.id, action, terms, null),
        ...more,
        gates: terms.gates,
        sender: senderOf(action, null),
        isPersonal: isPersonal(action),
        sequenceId,
        stepId,
        positions,
        lease,
      };
      const { sendings } = await beginChunk(db, org.id, send, {
        enrollmentIds,
        firstPosition,
        compose: contentOf(action),
      });
      return sendings.map(({ message }) => message.deliveryId);
    },
    /** Writes down what became of sends, at their attempt of this number. */
    async settle(lease: string, deliveryIds: string[], outcome: SendOutcome, attempts = 1) {
      const settlement = settlementOf('email', outcome, attempts);
      const results = deliveryIds.map((id): [string, typeof settlement] => [id, settlement]);
      const { step_id } = await db
        .selectFrom('deliveries')
        .select('step_id')
        .where('id', 'in', deliveryIds)
        .executeTakeFirstOrThrow();
      const continuation = advanceSettled(org.id, step_id as string);
      return settleDeliveries(db, org.id, { provider, lease, continuation }, results);
    },
    readDeliveries: () =>
      db.selectFrom('deliveries').selectAll().where('sequence_id', '=', sequenceId).orderBy('id').execute(),
    readEnrollments: () =>
      db.selectFrom('enrollments').selectAll().where('sequence_id', '=', sequenceId).orderBy('id').execute(),
  };
}
