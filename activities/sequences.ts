import { Context } from '@temporalio/activity';
import type { Db } from '../src/db/connect.ts';
import type { MessageSenders } from '../src/deliveries/sending/message-sender.ts';
import type { SequenceProgress, SequenceRef } from '../src/sequences/contract.ts';
import { createOutages } from '../src/sequences/sending/outages.ts';
import { sendDueSteps } from '../src/sequences/sending/send-due-steps.service.ts';
import { pauseStoppedSequence } from '../src/sequences/workflow-reconcile.service.ts';

export interface SequenceActivityDeps {
  db: Db;
  senders: MessageSenders;
  /** Aborted when the worker shuts down: a batch finishes its sends in flight and leaves the rest. */
  stopping: AbortSignal;
}

export type SequenceActivities = ReturnType<typeof createSequenceActivities>;

export const createSequenceActivities = ({ db, senders, stopping }: SequenceActivityDeps) => {
  const outages = createOutages();
  return {
    /** Sends due steps until none is due or at least a second has passed. */
    sendDueSteps(ref: SequenceRef): Promise<SequenceProgress> {
      const { cancellationSignal } = Context.current();
      const isStopped = () => stopping.aborted || cancellationSignal.aborted;
      return sendDueSteps({ db, senders, outages, isStopped }, ref);
    },

    /** Pauses the sequence because its workflow was canceled in Temporal. */
    recordSequenceCancellation: (ref: SequenceRef): Promise<boolean> => pauseStoppedSequence(db, ref),
  };
};
