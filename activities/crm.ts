import type { SendingDeps } from '../src/conversations/messages/service.ts';
import { confirmAccount } from '../src/crm/connection/accounts.service.ts';
import type { CrmClients } from '../src/crm/connection/clients.ts';
import type { AccountRef, SessionRef, SessionRun, ThreadRef, TicketRef } from '../src/crm/contract.ts';
import { createPart, parkPart, planHandoff } from '../src/crm/handoffs/service.ts';
import { closeTicket } from '../src/crm/handoffs/ticket-closing.service.ts';
import { syncThread } from '../src/crm/hubspot/threads.service.ts';
import { syncTicket } from '../src/crm/hubspot/tickets.service.ts';
import { postNextThreadMessage } from '../src/crm/outgoing/service.ts';
import type { Db } from '../src/db/connect.ts';
import type { HandoffPart } from '../src/providers/crm/port.ts';

export interface CrmActivityDeps {
  db: Db;
  crms: CrmClients;
  sending: SendingDeps;
  /** Where people see sessions. */
  dashboardUrl: string;
  /** Aborted when the worker is to end. */
  stopping: AbortSignal;
}

interface PartRef extends SessionRef {
  part: HandoffPart;
}

export type CrmActivities = ReturnType<typeof createCrmActivities>;

export const createCrmActivities = ({ db, crms, sending, dashboardUrl, stopping }: CrmActivityDeps) => {
  const deps = { crms, sending, dashboardUrl, isStopped: () => stopping.aborted };
  return {
    /** Reads what happened in a thread and stores it, one message after the other. Run twice, each is stored once. */
    syncThread: (thread: ThreadRef) => syncThread(db, deps, thread),

    /** Posts the oldest message that is to go to a thread. Run twice, it first looks for what the first run may have posted. */
    postNextThreadMessage: (thread: ThreadRef) => postNextThreadMessage(db, deps, thread),

    /** Reads what happened to a ticket, or the notes of all. Run twice, each is stored once. */
    syncTicket: (ticket: TicketRef) => syncTicket(db, deps, ticket),

    /** Writes down what a handoff consists of. Gives what is still to be done, and what was refused. */
    planHandoff: (session: SessionRef) => planHandoff(db, deps, session),

    /** Does a part of a handoff. Run twice, it first looks for what the first run may have made. */
    createHandoffPart: (part: PartRef) => createPart(db, deps, part),

    /** Shows that a part waits for another round, or was given up. */
    parkHandoffPart: ({ isGivenUp, nextTryAt, ...part }: PartRef & { isGivenUp: boolean; nextTryAt: string }) =>
      parkPart(db, part, { isGivenUp, nextTryAt: new Date(nextTryAt) }),

    /** Looks at the session again, and closes its ticket. One that is closed stays so. */
    closeTicket: (run: SessionRun) => closeTicket(db, crms, run),

    /** Asks of which account an org's credentials are, and keeps the answer. */
    confirmAccount: (account: AccountRef) => confirmAccount(db, crms, account),
  };
};
