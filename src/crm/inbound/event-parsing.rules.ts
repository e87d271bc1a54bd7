import { isRecord } from '../../collections/records.ts';
import { storable } from '../../providers/storable.rules.ts';
import type { CrmEventPayload } from './table.ts';

/** The stored properties of a CRM's event. */
export interface ParsedEvent {
  /** The same for every delivery of an event, in any batch, together with its property value. May be long. */
  key: string;
  queue: string;
  type: CrmEventType;
  object_id: string;
  occurred_at: Date;
  payload: CrmEventPayload;
  /** Why the event needs no processing; null if it does need some. */
  skipped: string | null;
}

export type CrmEventType =
  | 'conversation.newMessage'
  | 'conversation.propertyChange'
  | 'ticket.propertyChange'
  | 'object.creation';

export type ParsedElement =
  | { kind: 'event'; event: ParsedEvent }
  | { kind: 'unsupported'; type: string }
  | { kind: 'malformed'; reason: string };

/** All notes share one queue: the ticket of a note is unknown until the note is read. */
export const NOTES = 'notes';
const TICKET_TYPE_ID = '0-5';
const NOTE_TYPE_ID = '0-46';
/**
 * The event type by subscription type, as named on HubSpot's older and newer platforms. Null: the object is of another
 * type and not ours.
 */
const TYPES: Record<string, (objectTypeId: string | undefined) => CrmEventType | null> = {
  'conversation.newMessage': () => 'conversation.newMessage',
  'conversation.propertyChange': () => 'conversation.propertyChange',
  'ticket.propertyChange': () => 'ticket.propertyChange',
  'object.propertyChange': (id) => (id === TICKET_TYPE_ID ? 'ticket.propertyChange' : null),
  'object.creation': (id) => (id === undefined || id === NOTE_TYPE_ID ? 'object.creation' : null),
  'note.creation': () => 'object.creation',
};
/** Printable ASCII except the slash, the separator within keys. */
const ID = /^[!-.0-~]{1,128}$/;
const MAX_SHOWN_LENGTH = 100;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Parses one element of a posted batch. Never throws. The element's own time is used unless it is impossible. */
export function parseElement(given: unknown, receivedAt: Date): ParsedElement {
  if (!isRecord(given)) return malformed('is not an object');
  if (typeof given.subscriptionType !== 'string') return malformed('subscriptionType is missing');
  const typeOf = Object.hasOwn(TYPES, given.subscriptionType) ? TYPES[given.subscriptionType] : undefined;
  const type = typeOf?.(idOf(given.objectTypeId)) ?? null;
  if (type === null) return { kind: 'unsupported', type: printable(given.subscriptionType) };
  const objectId = idOf(given.objectId);
  if (objectId === undefined) return malformed('objectId is missing or no id');

  const at = timeOf(given.occurredAt, receivedAt);
  const about = { type, object_id: objectId, occurred_at: new Date(at) };
  switch (type) {
    case 'conversation.newMessage':
      return parseMessage(given, about);
    case 'conversation.propertyChange':
      return parsePropertyChange(given, { ...about, queue: `thread/${objectId}` });
    case 'ticket.propertyChange':
      if (objectId === NOTES) return malformed('objectId is no id of a ticket');
      return parsePropertyChange(given, { ...about, queue: `ticket/${objectId}` });
    case 'object.creation':
      return parsedEvent({ ...about, key: `note/${objectId}`, queue: NOTES, payload: {}, skipped: null });
  }
}

type EventBase = Pick<ParsedEvent, 'type' | 'object_id' | 'occurred_at'>;

function parseMessage(given: Record<string, unknown>, about: EventBase): ParsedElement {
  const isNamed = given.messageId !== undefined && given.messageId !== null && given.messageId !== '';
  const messageId = idOf(given.messageId);
  if (isNamed && messageId === undefined) return malformed('messageId is no id');
  const messageType = idOf(given.messageType);
  const happening = messageId ?? `${about.object_id}/${idOf(given.eventId) ?? ''}/${about.occurred_at.getTime()}`;
  return parsedEvent({
    ...about,
    key: `message/${happening}`,
    queue: `thread/${about.object_id}`,
    payload: {
      ...(messageId === undefined ? {} : { message_id: messageId }),
      ...(messageType === undefined ? {} : { message_type: messageType }),
    },
    skipped: null,
  });
}

function parsePropertyChange(given: Record<string, unknown>, about: EventBase & { queue: string }): ParsedElement {
  const name = idOf(given.propertyName);
  if (name === undefined) return malformed('propertyName is missing or no name');
  const value = given.propertyValue ?? '';
  if (typeof value === 'object') return malformed('propertyValue is no text');
  const text = storable(String(value));
  const isIgnored = text === '' && about.type === 'ticket.propertyChange';
  return parsedEvent({
    ...about,
    key: `change/${about.type}/${about.object_id}/${name}/${about.occurred_at.getTime()}`,
    payload: { property_name: name, property_value: text },
    skipped: isIgnored ? 'the value is empty' : null,
  });
}

const parsedEvent = (event: ParsedEvent): ParsedElement => ({ kind: 'event', event });
const malformed = (reason: string): ParsedElement => ({ kind: 'malformed', reason });

/** Accepts ids as numbers and as text. */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  return typeof value === 'string' && ID.test(value) ? value : undefined;
}

function timeOf(value: unknown, receivedAt: Date): number {
  const at = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  const isPossible = typeof at === 'number' && Number.isInteger(at) && at > 0 && at <= receivedAt.getTime() + DAY_MS;
  return isPossible ? at : receivedAt.getTime();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is left out
const printable = (text: string) => storable(text.slice(0, MAX_SHOWN_LENGTH)).replace(/[\u0000-\u001f\u007f]/g, '');
