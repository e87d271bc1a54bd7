import { randomUUID } from 'node:crypto';
import { v5 } from 'uuid';
import type { EgressResponse, HttpClient } from '../../egress/egress.ts';
import { jsonOf } from '../../egress/provider-responses.ts';
import { CrmError } from '../errors.ts';
import type { HandoffFacts, HandoffPart, PartOutcome, PriorAttempts } from '../port.ts';
import {
  type ApiCall,
  createSalesforceApi,
  failureOf,
  isAlreadyDone,
  isOfApi,
  isSuccess,
  unexpectedResponse,
} from './api.ts';
import { attributesOf, entriesIn, introductionOf, type ListedEntries, textToSend } from './content.ts';
import type {
  AccessToken,
  Conversation,
  ConversationStore,
  EntryPage,
  Salesforce,
  SalesforceSettings,
} from './port.ts';
import { createTokens, GuestExpired } from './tokens.ts';

/** The largest page of the API. */
const PAGE_SIZE = 50;
/** The number of pages searched for the message of a lost attempt. */
const MAX_PAGES = 20;
/** Salesforce's clock may be behind ours. */
const MAX_CLOCK_SKEW_MS = 60_000;
/** The longest expected time until a posted message is listed. */
const MAX_LISTING_DELAY_MS = 60_000;
const GONE_STATUSES = new Set([404, 410]);

interface Message {
  id: string;
  text: string;
}

/** The conversation was ended or deleted in Salesforce: it takes no more messages. */
class ConversationEnded extends CrmError {
  constructor({ message, status }: CrmError) {
    super(message, { transient: false, status });
    this.name = 'ConversationEnded';
  }
}

const notListedYet = ({ status }: EgressResponse) =>
  new CrmError('Salesforce seems to have the message, but does not list it yet', {
    transient: true,
    status,
    mayHaveArrived: true,
  });

const hasAnother = () => new CrmError('The session has another conversation in Salesforce by now', { transient: true });

const waitsForHandoff = () =>
  new CrmError('The conversation in Salesforce is over, and the handoff of the session opens the next one', {
    transient: true,
  });

export interface SalesforceDeps {
  egress: HttpClient;
  store: ConversationStore;
}

/**
 * Creates a client of Messaging for In-App and Web, API version 2. Ids of conversations and messages are ours, so a
 * repeated request has no further effect.
 */
export function createSalesforce({ egress, store }: SalesforceDeps, settings: SalesforceSettings): Salesforce {
  const wire = createSalesforceApi(egress, settings.base_url);
  const tokens = createTokens(wire, store, settings);
  const { es_developer_name: esDeveloperName } = settings;

  /** Calls as the conversation's end user. If the token is refused, repeats the call once with another one. */
  async function callAs(conversation: Conversation, call: ApiCall): Promise<[EgressResponse, AccessToken]> {
    const token = await tokens.tokenOf(conversation);
    const answer = await wire({ ...call, token: token.token });
    if (answer.status !== 401) return [answer, token];
    const renewed = await tokens.renew(conversation, token);
    return [await wire({ ...call, token: renewed.token }), renewed];
  }

  async function list(conversation: Conversation, since: Date | null): Promise<ListedEntries | undefined> {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), direction: 'FromStart', entryTypeFilter: 'Message' });
    if (since !== null) query.set('startTimestamp', String(since.getTime()));
    const path = `/conversation/${conversation.id}/entries?${query}`;
    const [answer, { token }] = await callAs(conversation, { method: 'GET', path });
    if (GONE_STATUSES.has(answer.status)) return undefined;
    if (!isSuccess(answer)) throw failureOf(answer, [token]);
    const listed = entriesIn(jsonOf(answer));
    if (listed === undefined) throw unexpectedResponse(answer);
    return listed;
  }

  async function pageOf(conversation: Conversation, since: Date | null): Promise<EntryPage | undefined> {
    const listed = await list(conversation, since);
    if (listed === undefined) return undefined;
    const entries = [...new Map(listed.entries.map((entry) => [entry.id, entry])).values()];
    entries.sort((a, b) => a.at.getTime() - b.at.getTime());
    const last = entries.at(-1);
    if (last === undefined || listed.size < PAGE_SIZE) return { entries, next: null };
    return { entries, next: new Date(nextStart(last.at.getTime(), since?.getTime() ?? 0)) };
  }

  async function has(conversation: Conversation, messageId: string, since: Date): Promise<boolean> {
    let from: Date | null = new Date(since.getTime() - MAX_CLOCK_SKEW_MS);
    for (let pages = 0; from !== null && pages < MAX_PAGES; pages++) {
      const page: EntryPage | undefined = await pageOf(conversation, from);
      if (page?.entries.some(({ id }) => id === messageId)) return true;
      from = page?.next ?? null;
    }
    return false;
  }

  const post = (conversation: Conversation, path: string, body: object): Promise<[EgressResponse, AccessToken]> =>
    callAs(conversation, { method: 'POST', path, body: { ...body, esDeveloperName } });

  /** Opens a conversation, unless an earlier attempt has. Returns it with its token. */
  async function open(
    unopened: Conversation,
    attributes: Record<string, string>,
    { mayExist }: PriorAttempts,
  ): Promise<Conversation> {
    const conversation = { ...unopened, token: await tokens.tokenOf(unopened) };
    if (mayExist && (await list(conversation, null)) !== undefined) return conversation;
    const { id, sessionId, continues } = conversation;
    const routingAttributes =
      continues === undefined ? attributes : { ...attributes, session_id: sessionId, continues };
    const [answer, { token }] = await post(conversation, '/conversation', { conversationId: id, routingAttributes });
    if (!isSuccess(answer) && !isAlreadyDone(answer)) throw failureOf(answer, [token]);
    return conversation;
  }

  /** Posts a message. Throws ConversationEnded if the conversation takes no more. */
  async function send(conversation: Conversation, { id, text }: Message, attempt: PriorAttempts): Promise<void> {
    if (attempt.mayExist && (await has(conversation, id, attempt.since))) return;
    const message = { id, messageType: 'StaticContentMessage', staticContent: { formatType: 'Text', text } };
    const [answer, { token }] = await post(conversation, `/conversation/${conversation.id}/message`, { message });
    if (isSuccess(answer)) return;
    const refusal = failureOf(answer, [token]);
    if (GONE_STATUSES.has(answer.status)) {
      if (isOfApi(answer) || (await list(conversation, null)) === undefined) throw new ConversationEnded(refusal);
      throw unexpectedResponse(answer);
    }
    if (!isAlreadyDone(answer)) throw refusal;
    // The same answer may mean that the conversation has ended.
    if (await has(conversation, id, attempt.since)) return;
    if (attempt.mayExist && Date.now() - attempt.since.getTime() < MAX_LISTING_DELAY_MS) throw notListedYet(answer);
    throw new ConversationEnded(refusal);
  }

  /**
   * Posts a message to a conversation, opened before if it is not open. If the conversation is over, the message goes to
   * the next one. Returns the conversation that has it. Without attributes, only a handoff opens a conversation while one
   * is under way: its attributes route the conversation.
   */
  async function sendOn(
    conversation: Conversation,
    messageIn: (conversation: Conversation) => Message,
    attributes: Record<string, string> | undefined,
    attempt: PriorAttempts,
  ): Promise<Conversation> {
    const leaveToHandoff = async () => {
      if (attributes === undefined && (await store.awaitsHandoff(conversation.sessionId))) throw waitsForHandoff();
    };
    const sendIn = async (used: Conversation, prior: PriorAttempts): Promise<Conversation> => {
      if (!used.isOpen) await leaveToHandoff();
      await send(used.isOpen ? used : await open(used, attributes ?? {}, prior), messageIn(used), prior);
      return used;
    };
    try {
      return await sendIn(conversation, attempt);
    } catch (error) {
      if (!(error instanceof GuestExpired) && !(error instanceof ConversationEnded)) throw error;
      await leaveToHandoff();
      return sendIn(await replace(conversation), { ...attempt, mayExist: false });
    }
  }

  /**
   * Continues the session in another conversation, still to be opened. The token comes first: a connection that gives none
   * says nothing about the conversation.
   */
  async function replace(conversation: Conversation): Promise<Conversation> {
    const token = await tokens.mint(conversation.sessionId);
    const next = await store.replaceConversation(conversation, randomUUID());
    return next.token === undefined ? { ...next, token: await store.replaceToken(next, token) } : next;
  }

  /** Posts the introduction of a handoff to the session's conversation. Returns the conversation's id. */
  async function begin(facts: HandoffFacts, attempt: PriorAttempts): Promise<string> {
    const known = await store.getOrCreate(facts.sessionId);
    const messageIn = (conversation: Conversation): Message => ({
      id: introductionIdOf(conversation, facts),
      text: introductionOf(facts),
    });
    const introduced = await sendOn(known, messageIn, attributesOf(facts), attempt);
    await store.updateOpen(introduced);
    return introduced.id;
  }

  return {
    provider: 'salesforce',
    parts: [{ name: 'conversation', isOptional: false }],
    async doPart(part: HandoffPart, facts: HandoffFacts, attempt: PriorAttempts): Promise<PartOutcome> {
      if (part !== 'conversation') return { state: 'skipped', reason: 'Salesforce has no such part' };
      return { state: 'done', externalId: await begin(facts, attempt) };
    },
    async postMessage(message, attempt) {
      const messageIn = (): Message => ({ id: message.id, text: textToSend(message) });
      const used = await sendOn(await find(message.conversationId), messageIn, undefined, attempt);
      if (!used.isOpen) await store.updateOpen(used);
      return { externalId: message.id };
    },
    async listEntries(conversationId, since) {
      try {
        const conversation = await store.findReadable(conversationId);
        if (conversation === undefined) throw hasAnother();
        return await pageOf(conversation, since);
      } catch (error) {
        if (error instanceof GuestExpired) return undefined;
        throw error;
      }
    },
  };

  async function find(conversationId: string): Promise<Conversation> {
    const conversation = await store.find(conversationId);
    if (conversation !== undefined) return conversation;
    throw hasAnother();
  }
}

/** Each handoff has a separate introduction. */
const introductionIdOf = ({ id }: Conversation, { handoffNumber }: HandoffFacts): string =>
  v5(handoffNumber === 1 ? 'introduction' : `introduction ${handoffNumber}`, id);

/**
 * Returns the start of the next page. Whether a page includes entries at its exact start is not documented, so the next
 * page starts a millisecond before the last entry. If this does not advance because of many entries in one millisecond,
 * it starts later.
 */
const nextStart = (last: number, since: number) => [last - 1, last].find((start) => start > since) ?? last + 1;
