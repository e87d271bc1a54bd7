import type { Answer, ReceivedRequest } from '../faulty-server.ts';
import {
  DEFAULT_PROPERTIES,
  DEFAULT_STAGES,
  type FakeObject,
  type FakeProperty,
  type FakeStage,
  hubspotError,
  refusalOfProperties,
  search,
  shown,
  toProperties,
} from './objects.ts';

const CONTACT_PROPERTIES: FakeProperty[] = ['email', 'firstname', 'lastname', 'phone'].map((name) => ({
  name,
  type: 'string',
}));
const NOTE_PROPERTIES: FakeProperty[] = ['hs_note_body', 'hs_timestamp', 'hubspot_owner_id'].map((name) => ({
  name,
  type: 'string',
}));
const OBJECT_PATH = /^\/crm\/v3\/objects\/(contacts|tickets|notes)(?:\/([^/]+))?(?:\/read)?$/;
const ASSOCIATIONS_PATH = /^\/crm\/v4\/objects\/(contacts|tickets)\/(\d+)\/associations\/(tickets|notes)$/;
const OWNER_PATH = /^\/crm\/v3\/owners\/(\d+)$/;
const DEFAULT_LAG_MS = 30_000;

export interface FakeOwner {
  id: string;
  userId: number;
  firstName: string;
  lastName: string;
  email: string;
}

interface Association {
  to?: { id?: unknown };
  types?: { associationCategory?: unknown; associationTypeId?: unknown }[];
}

/** The CRM of a fake HubSpot: contacts, tickets with their properties and pipelines, notes. */
export function createFakeCrm(newId: () => string) {
  const contacts: FakeObject[] = [];
  const tickets: FakeObject[] = [];
  const notes: FakeObject[] = [];
  const state = {
    contacts,
    tickets,
    notes,
    owners: [] as FakeOwner[],
    properties: structuredClone(DEFAULT_PROPERTIES) as FakeProperty[],
    pipelines: [{ id: '0', label: 'Support', displayOrder: 0, stages: structuredClone(DEFAULT_STAGES) as FakeStage[] }],
    searchLagMs: DEFAULT_LAG_MS,
  };
  const lists = { contacts, tickets, notes };
  type Kind = keyof typeof lists;
  const knownOf = (kind: Kind) =>
    ({ contacts: CONTACT_PROPERTIES, tickets: state.properties, notes: NOTE_PROPERTIES })[kind];

  const add = (kind: Kind, properties: Record<string, string>, associations: string[] = []): FakeObject => {
    const object = { id: newId(), properties, createdAt: new Date(), associations };
    lists[kind].push(object);
    return object;
  };

  const create = (kind: Kind, body: { associations?: unknown }): Answer => {
    const properties = toProperties(body);
    const refusal = refusalOfProperties(knownOf(kind), properties);
    if (refusal !== undefined) return refusal;
    if (!Array.isArray(body.associations)) return hubspotError(400, 'Invalid input JSON: associations');
    const written = properties as Record<string, string>;
    const refusalOfKind = {
      contacts: () => refusalOfContact(written),
      tickets: () => refusalOfTicket(written, body.associations as Association[]),
      notes: () => refusalOfNote(written, body.associations as Association[]),
    }[kind]();
    if (refusalOfKind !== undefined) return refusalOfKind;
    const to = (body.associations as Association[]).map((association) => association.to?.id as string);
    return { status: 201, body: shown(add(kind, written, to)) };
  };

  const refusalOfContact = ({ email = '' }: Record<string, string>): Answer | undefined => {
    if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) return hubspotError(400, `Email address ${email} is invalid`);
    const existing = contacts.find(({ properties }) => properties.email === email.toLowerCase());
    if (existing === undefined) return undefined;
    return hubspotError(409, `Contact already exists. Existing ID: ${existing.id}`, { category: 'CONFLICT' });
  };

  const refusalOfTicket = (properties: Record<string, string>, associations: Association[]): Answer | undefined => {
    if (properties.subject === undefined) return hubspotError(400, 'Some required properties were not set: subject');
    if (refusalOfStage(properties, properties.hs_pipeline ?? '0'))
      return hubspotError(400, `hs_pipeline_stage ${properties.hs_pipeline_stage} is no stage of the pipeline`);
    return refusalOfAssociations(associations, contacts, 16);
  };

  const refusalOfNote = (properties: Record<string, string>, associations: Association[]): Answer | undefined => {
    if (!properties.hs_timestamp) return hubspotError(400, 'Some required properties were not set: hs_timestamp');
    return refusalOfAssociations(associations, tickets, 228);
  };

  const refusalOfAssociations = (associations: Association[], others: FakeObject[], typeId: number) => {
    for (const { to, types } of associations) {
      if (typeof to?.id !== 'string' || !others.some(({ id }) => id === to.id))
        return hubspotError(400, `No object ${to?.id} to associate`);
      const isAllowed = types?.every(
        (type) => type.associationCategory === 'HUBSPOT_DEFINED' && type.associationTypeId === typeId,
      );
      if (!isAllowed || types?.length !== 1) return hubspotError(400, 'invalid association type');
    }
    return undefined;
  };

  const refusalOfStage = ({ hs_pipeline_stage: stage }: Record<string, string>, pipeline: string) =>
    !state.pipelines.find(({ id }) => id === pipeline)?.stages.some(({ id }) => id === stage);

  const update = (ticket: FakeObject, body: unknown): Answer => {
    const properties = toProperties(body);
    const refusal = refusalOfProperties(state.properties, properties);
    if (refusal !== undefined) return refusal;
    const changed = { ...ticket.properties, ...(properties as Record<string, string>) };
    if (refusalOfStage(changed, changed.hs_pipeline ?? '0')) return hubspotError(400, 'no stage of the pipeline');
    ticket.properties = changed;
    return { status: 200, body: shown(ticket) };
  };

  const read = (kind: Kind, id: string, query: URLSearchParams): Answer => {
    const object = lists[kind].find((one) => one.id === id);
    if (object === undefined) return hubspotError(404, 'resource not found', { category: 'OBJECT_NOT_FOUND' });
    const results = object.associations.map((to) => ({ id: to, type: 'note_to_ticket' }));
    const associations = query.has('associations') && results.length > 0 ? { tickets: { results } } : undefined;
    return { status: 200, body: { ...shown(object), associations } };
  };

  const readBatch = (kind: Kind, { inputs }: { inputs: { id: string }[] }): Answer => {
    if (inputs.length > 100) return hubspotError(400, 'at most 100 inputs');
    const found = lists[kind].filter(({ id }) => inputs.some((input) => input.id === id));
    return { status: 200, body: { status: 'COMPLETE', results: found.map(shown) } };
  };

  const handleObject = ({ method, url, body }: ReceivedRequest, kind: Kind, id: string | undefined): Answer => {
    const parsed = body === '' ? undefined : JSON.parse(body);
    const known = new Set([...knownOf(kind).map(({ name }) => name), 'createdate']);
    if (method === 'POST' && id === undefined) return create(kind, parsed);
    if (method === 'POST' && id === 'search') return search(lists[kind], known, parsed, state.searchLagMs);
    if (method === 'POST' && id === 'batch') return readBatch(kind, parsed);
    if (id !== undefined && method === 'GET') return read(kind, id, url.searchParams);
    if (method !== 'PATCH' || kind !== 'tickets') return hubspotError(405, 'Method not allowed');
    const ticket = tickets.find((one) => one.id === id);
    return ticket === undefined ? hubspotError(404, 'resource not found') : update(ticket, parsed);
  };

  const handle = (request: ReceivedRequest): Answer | undefined => {
    const { pathname, searchParams } = request.url;
    const object = OBJECT_PATH.exec(pathname);
    if (object !== null) return handleObject(request, object[1] as Kind, object[2]);
    if (pathname === '/crm/v3/properties/tickets') return { status: 200, body: { results: state.properties } };
    if (pathname === '/crm/v3/pipelines/tickets') return { status: 200, body: { results: state.pipelines } };
    const [isList, , of, kind] = ASSOCIATIONS_PATH.exec(pathname) ?? [];
    if (isList !== undefined) return { status: 200, body: associationsOf(kind as Kind, of as string, searchParams) };
    const ownerId = OWNER_PATH.exec(pathname)?.[1];
    if (ownerId === undefined) return undefined;
    const key = searchParams.get('idProperty') === 'userId' ? 'userId' : 'id';
    const owner = state.owners.find((one) => String(one[key]) === ownerId);
    return owner === undefined ? hubspotError(404, 'resource not found') : { status: 200, body: owner };
  };

  const associationsOf = (kind: Kind, id: string, query: URLSearchParams) => {
    const [limit, from] = [Number(query.get('limit') ?? 500), Number(query.get('after') ?? 0)];
    const of = lists[kind].filter(({ associations }) => associations.includes(id));
    const results = of.slice(from, from + limit).map((one) => ({ toObjectId: Number(one.id), associationTypes: [] }));
    return { results, paging: from + limit < of.length ? { next: { after: String(from + limit) } } : undefined };
  };

  return { state, add, handle };
}
