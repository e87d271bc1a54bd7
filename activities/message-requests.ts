import { Context } from '@temporalio/activity';
import type { Db } from '../src/db/connect.ts';
import type { MessageRef, RequestProgress } from '../src/deliveries/contract.ts';
import type { MessageSenders } from '../src/deliveries/sending/message-sender.ts';
import { sendRequested, sendSingleMessage } from '../src/deliveries/sending/requested-sends.service.ts';

export interface MessageRequestActivityDeps {
  db: Db;
  senders: MessageSenders;
  /** Aborted when the worker shuts down: a batch finishes its sends in flight and leaves the rest. */
  stopping: AbortSignal;
}

export type MessageRequestActivities = ReturnType<typeof createMessageRequestActivities>;

export function createMessageRequestActivities({ db, senders, stopping }: MessageRequestActivityDeps) {
  const batchDeps = () => {
    const { cancellationSignal } = Context.current();
    return { db, senders, isStopped: () => stopping.aborted || cancellationSignal.aborted };
  };
  return {
    /** Sends at most one batch of a request's e-mails. */
    sendRequestedEmails: ({ orgId, requestId }: { orgId: string; requestId: string }): Promise<RequestProgress> =>
      sendRequested(batchDeps(), orgId, { requestId }, 'email'),

    /** Sends one message, or fails it after an hour without a provider. */
    sendMessage: (message: MessageRef): Promise<RequestProgress> => sendSingleMessage(batchDeps(), message),
  };
}
