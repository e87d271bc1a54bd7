import { z } from 'zod';
import { storable } from '../../storable.rules.ts';
import type { HandoffFacts, RelayedMessage } from '../port.ts';
import type { Entry } from './port.ts';

/** The longest value of a channel parameter. */
const MAX_ATTRIBUTE_LENGTH = 255;
const MAX_PROPERTIES = 50;

const Page = z.object({ conversationEntries: z.array(z.unknown()) });
const ReceivedEntry = z.object({
  identifier: z.string().min(1),
  entryPayload: z.unknown(),
  sender: z.object({ role: z.string() }),
  senderDisplayName: z.string().nullish(),
  transcriptedTimestamp: z.number().int().nonnegative().max(8.64e15),
});
const Payload = z.object({ abstractMessage: z.object({ staticContent: z.object({ text: z.string().min(1) }) }) });

export interface ListedEntries {
  /** The readable entries, in the order of the response. */
  entries: Entry[];
  /** The number of all entries. */
  size: number;
}

/** Returns the entries of a response, or undefined if it is not a list. Unreadable entries do not hide the others. */
export function entriesIn(content: unknown): ListedEntries | undefined {
  const listed = Page.safeParse(content).data?.conversationEntries;
  return listed && { entries: listed.flatMap(entryOf), size: listed.length };
}

function entryOf(received: unknown): Entry[] {
  const read = ReceivedEntry.safeParse(received);
  if (!read.success) return [];
  const { identifier, entryPayload, sender, senderDisplayName, transcriptedTimestamp } = read.data;
  return [
    {
      id: storable(identifier),
      role: sender.role,
      senderName: senderDisplayName ? storable(senderDisplayName) : null,
      text: textOf(entryPayload),
      at: new Date(transcriptedTimestamp),
    },
  ];
}

/** A payload may be JSON in a string. */
function textOf(payload: unknown): string | null {
  const message = Payload.safeParse(typeof payload === 'string' ? parse(payload) : payload);
  return message.success ? storable(message.data.abstractMessage.staticContent.text) : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the attributes for routing by a flow in Salesforce: the names of its own pre-chat form, then ours, then the
 * session's data.
 */
export function attributesOf(facts: HandoffFacts): Record<string, string> {
  const { contact, properties } = facts;
  const [firstName, ...lastNames] = (contact.name ?? '').split(/\s+/).filter((part) => part !== '');
  const known = {
    _firstName: firstName,
    _lastName: lastNames.join(' '),
    _email: contact.email,
    _subject: facts.subject,
    phone: contact.phone,
    session_id: facts.sessionId,
    ticket_number: String(facts.ticketNumber),
    session_url: facts.sessionUrl,
    reason: facts.reason,
    sentiment: facts.sentiment,
    language: facts.language,
  };
  const all = { ...Object.fromEntries(Object.entries(properties).slice(0, MAX_PROPERTIES)), ...known };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value ? [[name, value.slice(0, MAX_ATTRIBUTE_LENGTH).toWellFormed()]] : [],
    ),
  );
}

/** Returns the first message to the agents, about the conversation so far. */
export const introductionOf = ({ ticketNumber, reason, summary, sessionUrl }: HandoffFacts): string =>
  [
    `Handed over: ticket #${ticketNumber}, ${sessionUrl}`,
    ...(reason === null ? [] : [`Reason: ${reason}`]),
    ...(summary === '' ? [] : [`Summary: ${summary}`]),
  ].join('\n');

/** Files are passed on as links. */
export const textToSend = ({ text, attachments }: RelayedMessage): string =>
  [...(text === '' ? [] : [text]), ...attachments.map(({ name, url }) => `${name}: ${url}`)].join('\n');
