import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { HubspotApi } from '../api.ts';

const TTL_MS = 15 * 60_000;
const MAX_CONNECTIONS = 1_000;

const Property = z.object({
  name: z.string(),
  type: z.string(),
  fieldType: z.string().nullish(),
  options: z.array(z.object({ value: z.string() })).nullish(),
  /** Its options are defined elsewhere in HubSpot, such as owners. */
  externalOptions: z.boolean().nullish(),
  calculated: z.boolean().nullish(),
  archived: z.boolean().nullish(),
  modificationMetadata: z.object({ readOnlyValue: z.boolean().nullish() }).nullish(),
});
type Property = z.infer<typeof Property>;
const Properties = z.object({ results: z.array(Property) });

type Schema = Map<string, Property>;

/** A cache of the properties of tickets, by connection. */
export type PropertyCache = LRUCache<string, Promise<Schema>>;

export const createPropertyCache = (): PropertyCache =>
  new LRUCache<string, Promise<Schema>>({ max: MAX_CONNECTIONS, ttl: TTL_MS });

/** The ticket properties of an org. */
export interface TicketProperties {
  /** Returns the properties writable with the given value. Others are omitted: they are not meant for HubSpot. */
  writable(properties: Record<string, string>): Promise<Record<string, string>>;
  has(name: string): Promise<boolean>;
  forget(): void;
}

export function createTicketProperties(api: HubspotApi, cache: PropertyCache, connection: string): TicketProperties {
  const schema = (): Promise<Schema> => {
    const cached = cache.get(connection);
    if (cached !== undefined) return cached;
    const reading = readSchema(api);
    cache.set(connection, reading);
    reading.catch(() => cache.delete(connection));
    return reading;
  };
  return {
    async writable(properties) {
      const known = await schema();
      const takes = ([name, value]: [string, string]) => {
        const property = known.get(name);
        return property !== undefined && isWritable(property) && acceptsValue(property, value);
      };
      return Object.fromEntries(Object.entries(properties).filter(takes));
    },
    has: async (name) => (await schema()).has(name),
    forget: () => void cache.delete(connection),
  };
}

async function readSchema(api: HubspotApi): Promise<Schema> {
  const call = { method: 'GET', path: '/crm/v3/properties/tickets', what: 'the properties of tickets' } as const;
  const { results } = await api.request(call, Properties);
  return new Map(results.map((property) => [property.name, property]));
}

const isWritable = ({ calculated, archived, modificationMetadata }: Property) =>
  calculated !== true && archived !== true && modificationMetadata?.readOnlyValue !== true;

/** Whether HubSpot accepts the value. A refused value would prevent the creation of the whole ticket. */
function acceptsValue({ type, fieldType, options, externalOptions }: Property, value: string): boolean {
  if (type === 'number') return value.trim() !== '' && Number.isFinite(Number(value));
  if (type === 'date' || type === 'datetime') return /^\d+$/.test(value) || !Number.isNaN(Date.parse(value));
  const isChoice = type === 'enumeration' || type === 'bool';
  if (!isChoice || externalOptions === true || !options?.length) return true;
  const chosen = fieldType === 'checkbox' ? value.split(';') : [value];
  return chosen.every((one) => options.some((option) => option.value === one));
}
