import type { SendingDeps } from '../src/conversations/messages/service.ts';
import { confirmAccount } from '../src/crm/connection/accounts.service.ts';
import type { CrmClients } from '../src/crm/connection/clients.ts';
import type { AccountRef, SessionRef, SessionRun, ThreadRef, TicketRef } from '../src/crm/contract.ts';
import { planHandoff } from '../src/crm/handoffs/planning.service.ts';
import { createHandoffPart, parkPart } from '../src/crm/handoffs/service.ts';
import { closeTicket } from '../src/crm/handoffs/ticket-closing.service.ts';
import { reopenTicket } from '../src/crm/handoffs/ticket-reopening.service.ts';
import { syncThread } from '../src/crm/hubspot/threads.service.ts';
import { syncTicket } from '../src/crm/hubspot/tickets.service.ts';
import { postNextThreadMessage } from '../src/crm/outgoing/service.ts';
import type { Db } from '../src/db/connect.ts';
import type { HandoffPart } from '../src/providers/crm/port.ts';
import { inRounds } from './failures.ts';

export interface CrmActivityDeps {
  db: Db;
  crms: CrmClients;
  sending: SendingDeps;
  /** Base URL of the dashboard for agents. */
  dashboardUrl: string;
  /** Aborted when the worker shuts down. */
  stopping: AbortSignal;
}

interface PartRef extends SessionRun {
  part: HandoffPart;
}

export type CrmActivities = ReturnType<typeof createCrmActivities>;

export const createCrmActivities = ({ db, crms, sending, dashboardUrl, stopping }: CrmActivityDeps) => {
  const deps = { crms, sending, dashboardUrl, isStopped: () => stopping.aborted };
  return {
    /**
     * Reads the events of a thread and stores its messages, one after the other. Running it twice stores each message
     * once.
     */
    syncThread: inRounds((thread: ThreadRef) => syncThread(db, deps, thread)),

    /**
     * Posts the oldest unsent message of a thread. A second run first searches the thread for the message of the first.
     */
    postNextThreadMessage: inRounds((thread: ThreadRef) => postNextThreadMessage(db, deps, thread)),

    /** Reads the events of a ticket, or the notes of all tickets. Running it twice stores each once. */
    syncTicket: inRounds((ticket: TicketRef) => syncTicket(db, deps, ticket)),

    /** Saves the parts of a handoff. Returns the pending and the refused parts. */
    planHandoff: inRounds((run: SessionRun) => planHandoff(db, deps, run)),

    /** Creates a part of a handoff. A second run first searches the CRM for the part of the first. */
    createHandoffPart: inRounds((part: PartRef) => createHandoffPart(db, deps, part)),

    /** Shows a part as waiting for another round, or as given up. */
    parkHandoffPart: ({ isGivenUp, nextTryAt, ...part }: PartRef & { isGivenUp: boolean; nextTryAt: string }) =>
      parkPart(db, part, { isGivenUp, nextTryAt: new Date(nextTryAt) }),

    /** Checks the session again and closes its ticket. A closed ticket stays closed. */
    closeTicket: inRounds((run: SessionRun) => closeTicket(db, crms, run)),

    /** Checks the session again and reopens its ticket. An open ticket stays as it is. */
    reopenTicket: inRounds((session: SessionRef) => reopenTicket(db, crms, session)),

    /** Asks the CRM for the account of an org's credentials, and stores the answer. */
    confirmAccount: inRounds((account: AccountRef) => confirmAccount(db, crms, account)),
  };
};
