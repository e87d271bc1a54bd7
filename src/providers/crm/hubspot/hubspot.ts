import type { HttpClient } from '../../egress/egress.ts';
import type { HandoffFacts, HandoffPart, PartOutcome, PriorAttempts } from '../port.ts';
import { findAccountId } from './accounts.ts';
import { createHubspotApi, type HubspotApi, type RateLimit, type TokenSource } from './api.ts';
import { findOrCreateContact, getPerson } from './contacts.ts';
import { handoffComment, ticketContent } from './handoff-content.ts';
import { type HtmlConversion, htmlOf } from './html.ts';
import { addNote, findNote } from './notes.ts';
import type { Hubspot } from './port.ts';
import type { HubspotSettings } from './settings.ts';
import { postComment, postDraft, postMessage } from './threads/messages.ts';
import { findAssignee, findContactId, findMessage, listMessages } from './threads/threads.ts';
import { closeTicket, isClosedStage, reopenTicket } from './tickets/closing.ts';
import { findEarlierTicket, retryAfterSearchLag, SESSION_PROPERTY } from './tickets/earlier-tickets.ts';
import { firstStageOf } from './tickets/pipelines.ts';
import { createTicketProperties, type PropertyCache, type TicketProperties } from './tickets/properties.ts';
import { createTicket } from './tickets/tickets.ts';

export interface HubspotDeps {
  requests: HttpClient;
  tokens: TokenSource;
  budget: RateLimit;
  markup: HtmlConversion;
  properties: PropertyCache;
  /** Identifies the account, so cached data of one account is not used for another. */
  connection: string;
}

interface Context {
  api: HubspotApi;
  schema: TicketProperties;
  markup: HtmlConversion;
  settings: HubspotSettings;
}

const TICKETING_OFF: PartOutcome = { state: 'skipped', reason: 'Ticketing is off in the settings' };

/** Creates a client of HubSpot's CRM and Conversations APIs, version 3, for one org. */
export function createHubspot(deps: HubspotDeps, settings: HubspotSettings): Hubspot {
  const { markup, properties, connection } = deps;
  const api = createHubspotApi(deps, settings.base_url);
  const context = { api, schema: createTicketProperties(api, properties, connection), markup, settings };
  return {
    provider: 'hubspot',
    parts: [
      { name: 'contact', isOptional: true },
      { name: 'ticket', isOptional: false },
      { name: 'comment', isOptional: false },
    ],
    doPart: (part, facts, attempt) => doPart(context, part, facts, attempt),
    async postMessage(message, attempt) {
      const post = message.isDraft ? postDraft : postMessage;
      return { externalId: await post(api, context, message, attempt) };
    },
    findMessage: (threadId, messageId) => findMessage(api, threadId, messageId),
    listMessages: (threadId) => listMessages(api, threadId),
    async findPerson(threadId) {
      const contactId = await findContactId(api, threadId);
      return contactId === undefined ? undefined : getPerson(api, contactId);
    },
    findAssignee: (threadId) => findAssignee(api, threadId),
    findAccountId: () => findAccountId(api),
    findNote: (noteId) => findNote(api, markup, noteId),
    async addTicketNote({ id, conversationId, text }, attempt) {
      const richText = htmlOf(markup, `${text}\n\n(${id})`);
      return { externalId: await addNote(api, markup, conversationId, { richText, marks: [id] }, attempt) };
    },
    closeTicket: (ticketId) => closeTicket(api, ticketId, settings.closed_stage_id),
    reopenTicket: (ticketId) =>
      reopenTicket(api, ticketId, { open: settings.open_stage_id, closed: settings.closed_stage_id }),
    isClosedStage: (ticketId, stageId) => isClosedStage(api, ticketId, stageId, settings.closed_stage_id),
  };
}

async function doPart(
  context: Context,
  part: HandoffPart,
  facts: HandoffFacts,
  attempt: PriorAttempts,
): Promise<PartOutcome> {
  const hasTickets = context.settings.ticketing_enabled !== false;
  switch (part) {
    case 'contact':
      return hasTickets ? findOrCreateContact(context.api, facts.contact) : TICKETING_OFF;
    case 'ticket':
      return hasTickets ? createHandoffTicket(context, facts, attempt) : TICKETING_OFF;
    case 'comment':
      return postHandoffComment(context, facts, attempt);
    case 'conversation':
      return { state: 'skipped', reason: 'HubSpot opens no conversation' };
  }
}

async function createHandoffTicket(
  { api, schema, settings }: Context,
  facts: HandoffFacts,
  attempt: PriorAttempts,
): Promise<PartOutcome> {
  const earlier = attempt.mayExist ? await findEarlierTicket(api, schema, facts, attempt) : undefined;
  if (earlier !== undefined) return { state: 'done', externalId: earlier };
  const { pipeline_id, open_stage_id, priority, owner_id } = settings;
  // A ticket needs a stage. Without a configured one, it gets the first open stage.
  const first = open_stage_id === undefined ? await firstStageOf(api, pipeline_id) : undefined;
  const creating = createTicket(api, schema, {
    required: withoutUndefined({
      subject: facts.subject,
      content: ticketContent(facts),
      hs_pipeline: pipeline_id ?? first?.pipelineId,
      hs_pipeline_stage: open_stage_id ?? first?.stageId,
    }),
    optional: {
      ...facts.properties,
      ...withoutUndefined({ hs_ticket_priority: priority, hubspot_owner_id: owner_id }),
      [SESSION_PROPERTY]: facts.sessionId,
    },
    contactId: facts.externalIds.contact,
  });
  const isSearchedFor = facts.externalIds.contact === undefined;
  const externalId = await creating.catch((error: unknown) => {
    throw isSearchedFor ? retryAfterSearchLag(error) : error;
  });
  return { state: 'done', externalId };
}

async function postHandoffComment(
  { api, markup, settings }: Context,
  facts: HandoffFacts,
  attempt: PriorAttempts,
): Promise<PartOutcome> {
  const { threadId, hasEarlierTicket, externalIds } = facts;
  const comment = handoffComment(markup, facts);
  if (threadId !== null) {
    const externalId = await postComment(api, threadId, { ...comment, appId: settings.app_id }, attempt);
    return { state: 'done', externalId };
  }
  if (!hasEarlierTicket || externalIds.ticket === undefined)
    return { state: 'skipped', reason: 'The session is of no thread in HubSpot' };
  return { state: 'done', externalId: await addNote(api, markup, externalIds.ticket, comment, attempt) };
}

const withoutUndefined = (properties: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(properties).filter((entry): entry is [string, string] => entry[1] !== undefined));
