import { randomUUID } from 'node:crypto';
import { v5 } from 'uuid';
import type { EgressResponse, HttpClient } from '../../egress/egress.ts';
import { jsonOf } from '../../egress/provider-responses.ts';
import { CrmError } from '../errors.ts';
import type { HandoffFacts, HandoffPart, PartOutcome, PriorAttempts } from '../port.ts';
import { type ApiCall, createSalesforceApi, failureOf, isAlreadyDone, isSuccess, unexpectedResponse } from './api.ts';
import { attributesOf, entriesIn, introductionOf, textToSend } from './content.ts';
import type {
  AccessToken,
  Conversation,
  ConversationStore,
  Entry,
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
const GONE_STATUSES = new Set([404, 410]);

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

  async function list(conversation: Conversation, since: Date | null): Promise<Entry[] | undefined> {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), direction: 'FromStart', entryTypeFilter: 'Message' });
    if (since !== null) query.set('startTimestamp', String(since.getTime()));
    const path = `/conversation/${conversation.id}/entries?${query}`;
    const [answer, { token }] = await callAs(conversation, { method: 'GET', path });
    if (GONE_STATUSES.has(answer.status)) return undefined;
    if (!isSuccess(answer)) throw failureOf(answer, [token]);
    const entries = entriesIn(jsonOf(answer));
    if (entries === undefined) throw unexpectedResponse(answer);
    return entries;
  }

  async function pageOf(conversation: Conversation, since: Date | null): Promise<EntryPage | undefined> {
    const listed = await list(conversation, since);
    if (listed === undefined) return undefined;
    const entries = [...new Map(listed.map((entry) => [entry.id, entry])).values()];
    entries.sort((a, b) => a.at.getTime() - b.at.getTime());
    const last = entries.at(-1);
    if (last === undefined || listed.length < PAGE_SIZE) return { entries, next: null };
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

  async function post(conversation: Conversation, path: string, body: object): Promise<void> {
    const call = { method: 'POST', path, body: { ...body, esDeveloperName } } as const;
    const [answer, { token }] = await callAs(conversation, call);
    if (!isSuccess(answer) && !isAlreadyDone(answer)) throw failureOf(answer, [token]);
  }

  const open = (conversation: Conversation, routingAttributes: Record<string, string>) =>
    post(conversation, '/conversation', { conversationId: conversation.id, routingAttributes });

  async function send(conversation: Conversation, id: string, text: string, attempt: PriorAttempts): Promise<void> {
    if (attempt.mayExist && (await has(conversation, id, attempt.since))) return;
    const message = { id, messageType: 'StaticContentMessage', staticContent: { formatType: 'Text', text } };
    await post(conversation, `/conversation/${conversation.id}/message`, { message });
  }

  /** Creates a new guest in a new conversation with a reference to the one before. */
  async function moveOn(from: Conversation, attributes: Record<string, string>): Promise<Conversation> {
    const token = await tokens.mint(from.sessionId);
    const to = { id: randomUUID(), token };
    const routingAttributes = { ...attributes, session_id: from.sessionId, continues: from.id };
    const body = { conversationId: to.id, routingAttributes, esDeveloperName };
    const answer = await wire({ method: 'POST', path: '/conversation', body, token: token.token });
    if (!isSuccess(answer)) throw failureOf(answer, [token.token]);
    await store.replaceConversation(from, to);
    return { ...from, ...to };
  }

  /**
   * Opens the session's conversation, unless it is open since an earlier handoff, and posts the introduction. Returns the
   * conversation's id.
   */
  async function begin(facts: HandoffFacts, attempt: PriorAttempts): Promise<string> {
    const known = await store.getOrCreate(facts.sessionId);
    if (known.isOpen && facts.handoffNumber === 1) return known.id;
    if (!known.isOpen) await openOnce(known, attributesOf(facts), attempt);
    const conversation = known.isOpen ? known : await store.getOrCreate(facts.sessionId);
    const introduced = await introduce(conversation, facts, attempt);
    await store.updateOpen(introduced);
    return introduced.id;
  }

  async function openOnce(
    conversation: Conversation,
    attributes: Record<string, string>,
    attempt: PriorAttempts,
  ): Promise<void> {
    try {
      const isThere = attempt.mayExist && (await list(conversation, null)) !== undefined;
      if (!isThere) await open(conversation, attributes);
    } catch (error) {
      if (!(error instanceof GuestExpired)) throw error;
      await moveOn(conversation, attributes);
    }
  }

  /** Posts the introduction of a handoff. Returns its conversation: another one if the guest of this one has ended. */
  async function introduce(
    conversation: Conversation,
    facts: HandoffFacts,
    attempt: PriorAttempts,
  ): Promise<Conversation> {
    const text = introductionOf(facts);
    try {
      await send(conversation, introductionIdOf(conversation, facts), text, attempt);
      return conversation;
    } catch (error) {
      if (!(error instanceof GuestExpired)) throw error;
      const next = await moveOn(conversation, attributesOf(facts));
      await send(next, introductionIdOf(next, facts), text, { ...attempt, mayExist: false });
      return next;
    }
  }

  return {
    provider: 'salesforce',
    parts: [{ name: 'conversation', isOptional: false }],
    async doPart(part: HandoffPart, facts: HandoffFacts, attempt: PriorAttempts): Promise<PartOutcome> {
      if (part !== 'conversation') return { state: 'skipped', reason: 'Salesforce has no such part' };
      return { state: 'done', externalId: await begin(facts, attempt) };
    },
    async postMessage(message, attempt) {
      const conversation = await find(message.conversationId);
      const text = textToSend(message);
      try {
        await send(conversation, message.id, text, attempt);
      } catch (error) {
        if (!(error instanceof GuestExpired)) throw error;
        await send(await moveOn(conversation, {}), message.id, text, { ...attempt, mayExist: false });
      }
      return { externalId: message.id };
    },
    async listEntries(conversationId, since) {
      try {
        return await pageOf(await find(conversationId), since);
      } catch (error) {
        if (error instanceof GuestExpired) return undefined;
        throw error;
      }
    },
  };

  async function find(conversationId: string): Promise<Conversation> {
    const conversation = await store.find(conversationId);
    if (conversation !== undefined) return conversation;
    throw new CrmError('The conversation is not one of the org’s', { transient: false });
  }
}

/** Each handoff has an introduction of its own. */
const introductionIdOf = ({ id }: Conversation, { handoffNumber }: HandoffFacts): string =>
  v5(handoffNumber === 1 ? 'introduction' : `introduction ${handoffNumber}`, id);

/**
 * Returns the start of the next page. Whether a page includes entries at its exact start is not documented, so the next
 * page starts a millisecond before the last entry. If this does not advance because of many entries in one millisecond,
 * it starts later.
 */
const nextStart = (last: number, since: number) => [last - 1, last].find((start) => start > since) ?? last + 1;
