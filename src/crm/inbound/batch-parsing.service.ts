import { hash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { isRecord, memberOf } from '../../collections/records.ts';
import type { Trx } from '../../db/connect.ts';
import { invalid, tooLarge } from '../../errors.ts';
import { type Command, enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { SYNC_CRM_THREAD, SYNC_CRM_TICKET } from '../contract.ts';
import { TEXT_PROPERTIES } from '../redaction.queries.ts';
import { NOTES, type ParsedElement, type ParsedEvent, parseElement } from './event-parsing.rules.ts';
import type { NewCrmEvent } from './webhooks.queries.ts';

/** HubSpot posts up to 100. */
const MAX_ELEMENTS = 1_000;
/** A statement accepts some 65,000 values. */
const SIGNALS_PER_STATEMENT = 1_000;
/** The longest key stored in the index. Longer ones are digested. */
const MAX_KEY_LENGTH = 200;

/** The parsed elements of a batch. */
export interface ParsedBatch {
  parsedElements: ParsedElement[];
  events: NewCrmEvent[];
  unsupported: number;
  malformed: number;
}

/**
 * Returns the elements of a posted body. Throws invalid if it is not a list, and tooLarge for a list longer than any
 * CRM sends.
 */
export function elementsOf(body: string): unknown[] {
  const parsed = parse(body);
  if (!Array.isArray(parsed)) throw invalid('The body must be a JSON array of events');
  if (parsed.length > MAX_ELEMENTS) throw tooLarge(`The body must hold at most ${MAX_ELEMENTS} events`);
  return parsed.some(hasLongId) ? parseExactly(body) : parsed;
}

/** Parses a list again, with its long numbers as texts. Throws invalid if it is nested too deep for that. */
function parseExactly(body: string): unknown[] {
  try {
    return JSON.parse(body, preserveLongNumbers);
  } catch (error) {
    if (error instanceof RangeError) throw invalid('The body is nested too deep');
    throw error;
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const hasLongId = (element: Partial<Record<string, unknown>> | null): boolean =>
  isLong(element?.objectId) || isLong(element?.messageId);

const isLong = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

/** Returns an integer too large for exact representation as its original text. */
const preserveLongNumbers = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  isLong(value) ? context?.source : value;

/** Compresses a body for storage. The fastest level is enough, as bodies mostly repeat the same words. */
export const compressBody = (body: string): Buffer => deflateRawSync(body, { level: 1 });
export const decompressBody = (packed: Buffer): string => inflateRawSync(packed).toString('utf8');

/** Parses elements received at the same time. */
export function parseElements(elements: unknown[], receivedAt: Date): ParsedBatch {
  const parsedElements = elements.map((element) => parseElement(element, receivedAt));
  const events = parsedElements.flatMap((reading) => (reading.kind === 'event' ? [toNewEvent(reading.event)] : []));
  return {
    parsedElements,
    events,
    unsupported: parsedElements.filter(({ kind }) => kind === 'unsupported').length,
    malformed: parsedElements.filter(({ kind }) => kind === 'malformed').length,
  };
}

/** Returns the dedupe key of an event. It outlives the property value in it, which is therefore digested. */
export function dedupeKeyOf({ key, payload: { property_value: value } }: ParsedEvent): string {
  const whole = value === undefined ? key : `${key}/${digest(value)}`;
  return whole.length > MAX_KEY_LENGTH ? `sha256/${digest(whole)}` : whole;
}

const digest = (text: string) => hash('sha256', text, 'base64url');

const toNewEvent = (event: ParsedEvent): NewCrmEvent => {
  const { queue, type, object_id, occurred_at, payload, skipped } = event;
  return { key: dedupeKeyOf(event), queue, type, object_id, at: occurred_at.getTime(), payload, skipped };
};

/** Returns whether an event reports a text of a ticket. */
export const isTicketText = ({ type, payload }: NewCrmEvent): boolean =>
  type === 'ticket.propertyChange' && TEXT_PROPERTIES.includes(payload.property_name ?? '');

/** Returns an event without its value, settled. Its key stays that of every delivery. */
export const redactedEvent = ({ payload: { property_value: _, ...payload }, ...event }: NewCrmEvent): NewCrmEvent => ({
  ...event,
  payload,
  skipped: event.skipped ?? 'redacted',
});

/** Returns the body of these elements without the texts of tickets. Undefined if they contain none. */
export function withoutTicketTexts(elements: unknown[], ticketIds: ReadonlySet<string>): string | undefined {
  const isText = (element: unknown) =>
    ticketIds.has(String(memberOf(element, 'objectId'))) &&
    TEXT_PROPERTIES.some((property) => property === memberOf(element, 'propertyName'));
  if (!elements.some(isText)) return undefined;
  return JSON.stringify(elements.map((one) => (isRecord(one) && isText(one) ? { ...one, propertyValue: null } : one)));
}

/** Wakes the workflows of queues, each once. */
export async function signalQueues(trx: Trx, orgId: string, queues: Iterable<string>): Promise<void> {
  const signals = [...new Set(queues)].map((queue) => queueSignalOf(orgId, queue));
  for (let first = 0; first < signals.length; first += SIGNALS_PER_STATEMENT) {
    await enqueue(trx, orgId, ...signals.slice(first, first + SIGNALS_PER_STATEMENT));
  }
}

/** Returns the command to process a queue. */
export function queueSignalOf(orgId: string, queue: string): Command {
  const [kind, id = NOTES] = queue.split('/');
  const subject = (summary: string) => ({ subjectId: orgId, summary }); // subjects in the outbox are uuids; thread ids are not
  return kind === 'thread'
    ? signalWithStart(SYNC_CRM_THREAD, { orgId, threadId: id }, WAKE, subject(`Conversation ${id}`))
    : signalWithStart(SYNC_CRM_TICKET, { orgId, ticketId: id }, WAKE, subject(id === NOTES ? 'Notes' : `Ticket ${id}`));
}
