import type { Answer } from '../faulty-server.ts';

export interface FakeProperty {
  name: string;
  type: string;
  fieldType?: string;
  options?: { value: string; label: string }[];
  externalOptions?: boolean;
  calculated?: boolean;
  archived?: boolean;
  modificationMetadata?: { readOnlyValue: boolean };
}

export interface FakeObject {
  id: string;
  properties: Record<string, string>;
  createdAt: Date;
  /** The ids of the contact of a ticket, and of the tickets of a note. */
  associations: string[];
}

export interface FakeStage {
  id: string;
  label: string;
  displayOrder: number;
  archived?: boolean;
  metadata: { ticketState: 'OPEN' | 'CLOSED' };
}

/** A refusal as HubSpot words it. */
export const hubspotError = (status: number, message: string, extra: object = {}): Answer => ({
  status,
  body: { status: 'error', message, correlationId: 'aeb5f871-7f07-4993-9211-075dc63e7cbf', ...extra },
});

const options = (...values: string[]) => values.map((value) => ({ value, label: value.toLowerCase() }));
const text = (name: string): FakeProperty => ({ name, type: 'string', fieldType: 'text' });

/** What tickets of a new account have, and some that an org made. */
export const DEFAULT_PROPERTIES: FakeProperty[] = [
  ...['subject', 'content', 'order_number'].map(text),
  { name: 'hs_pipeline', type: 'enumeration', fieldType: 'select', options: options('0') },
  { name: 'hs_pipeline_stage', type: 'enumeration', fieldType: 'select', options: [], externalOptions: true },
  { name: 'hs_ticket_priority', type: 'enumeration', fieldType: 'select', options: options('LOW', 'MEDIUM', 'HIGH') },
  { name: 'hubspot_owner_id', type: 'enumeration', fieldType: 'select', options: [], externalOptions: true },
  { name: 'plan', type: 'enumeration', fieldType: 'select', options: options('FREE', 'PRO') },
  { name: 'topics', type: 'enumeration', fieldType: 'checkbox', options: options('billing', 'returns') },
  { name: 'seats', type: 'number', fieldType: 'number' },
  { name: 'renews_on', type: 'date', fieldType: 'date' },
  { ...text('time_to_close'), calculated: true },
  { ...text('hs_object_id'), modificationMetadata: { readOnlyValue: true } },
  { ...text('old_field'), archived: true },
];

/** The open stages come after the closed one in the list, but before it by their order. */
export const DEFAULT_STAGES: FakeStage[] = [
  { id: '4', label: 'Closed', displayOrder: 3, metadata: { ticketState: 'CLOSED' } },
  { id: '5', label: 'Spam', displayOrder: 4, metadata: { ticketState: 'CLOSED' } },
  { id: '1', label: 'New', displayOrder: 0, metadata: { ticketState: 'OPEN' } },
  { id: '2', label: 'Waiting', displayOrder: 1, metadata: { ticketState: 'OPEN' } },
];

export const toProperties = (body: unknown): Record<string, unknown> => {
  const { properties } = (body ?? {}) as { properties?: unknown };
  return typeof properties === 'object' && properties !== null ? (properties as Record<string, unknown>) : {};
};

/** HubSpot's answer to refused properties. Undefined: it takes all. */
export function refusalOfProperties(known: FakeProperty[], properties: Record<string, unknown>): Answer | undefined {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value !== 'string') return hubspotError(400, `Invalid input JSON: ${name} is no string`);
    const reason = refusalOfProperty(known, name, value);
    if (reason === undefined) continue;
    const details = [{ isValid: false, name, ...reason }];
    return hubspotError(400, `Property values were not valid: ${JSON.stringify(details)}`, {
      category: 'VALIDATION_ERROR',
    });
  }
  return undefined;
}

function refusalOfProperty(known: FakeProperty[], name: string, value: string) {
  const property = known.find((one) => one.name === name && one.archived !== true);
  if (property === undefined) return { error: 'PROPERTY_DOESNT_EXIST', message: `Property "${name}" does not exist` };
  if (property.calculated === true || property.modificationMetadata?.readOnlyValue === true)
    return { error: 'READ_ONLY_VALUE', message: `"${name}" is a read only property` };
  const chosen = property.fieldType === 'checkbox' ? value.split(';') : [value];
  const isOutside = chosen.some((one) => !property.options?.some((option) => option.value === one));
  if (property.type === 'enumeration' && property.externalOptions !== true && isOutside)
    return { error: 'INVALID_OPTION', message: `${value} was not one of the allowed options` };
  if (property.type === 'number' && !Number.isFinite(Number(value)))
    return { error: 'INVALID_NUMBER', message: `${value} was not a valid number.` };
  return undefined;
}

interface Filter {
  propertyName: string;
  operator: string;
  value: string;
}

/** Search as HubSpot's, which knows nothing that is younger than `lagMs`. */
export function search(objects: FakeObject[], names: Set<string>, body: unknown, lagMs: number): Answer {
  const { filterGroups, sorts, properties, limit, after } = body as Record<string, unknown>;
  const isWhole =
    [filterGroups, sorts, properties].every(Array.isArray) && Number.isInteger(limit) && typeof after === 'string';
  if (!isWhole) return hubspotError(400, 'Invalid input JSON: filterGroups, sorts, properties, limit, after');
  if ((sorts as unknown[]).some((sort) => typeof sort !== 'string'))
    return hubspotError(
      400,
      'Invalid input JSON: Cannot deserialize value of type `java.lang.String` from Object value',
    );
  if ((limit as number) > 200) return hubspotError(400, 'limit is at most 200');
  const filters = (filterGroups as { filters: Filter[] }[]).flatMap((group) => group.filters);
  const unknown = filters.find(({ propertyName }) => !names.has(propertyName));
  if (unknown !== undefined) return hubspotError(400, `There is no property ${unknown.propertyName}`);

  const indexed = objects.filter(({ createdAt }) => Date.now() - createdAt.getTime() >= lagMs);
  const found = indexed.filter((object) => filters.every((filter) => matches(object, filter))).reverse();
  return { status: 200, body: { total: found.length, results: found.slice(0, limit as number).map(shown) } };
}

function matches({ properties, createdAt }: FakeObject, { propertyName, operator, value }: Filter): boolean {
  if (operator === 'GTE') return propertyName === 'createdate' && createdAt.getTime() >= Number(value);
  return operator === 'EQ' && properties[propertyName] === value;
}

export const shown = ({ id, properties, createdAt }: FakeObject) => ({
  id,
  properties: { hs_object_id: id, createdate: createdAt.toISOString(), ...properties },
  createdAt: createdAt.toISOString(),
  archived: false,
});
