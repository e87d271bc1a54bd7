import { PhoneNumber } from '../../contacts/phone-number.schema.ts';
import type { ContactSave, KeyField } from '../../contacts/saving/drafts.ts';
import { type SaveResult, saveContactsSilently } from '../../contacts/saving/service.ts';
import { Email } from '../../contacts/schema.ts';
import type { Trx } from '../../db/connect.ts';
import type { Finding, FindingCode, Outcome } from '../findings.rules.ts';
import type { AgentRecord, PersonRecord, SourceRecord } from '../records.rules.ts';
import { findImported, lockExistingContacts, type Origin, upsertImported } from './shared.queries.ts';

const MAX_NAME_LENGTH = 1_000;
const MAX_EXTERNAL_ID_LENGTH = 255;
/** The key that holds a number which is none of ours. */
const PHONE_AS_WRITTEN = 'phone_as_written';

/** The outcome of a person: the contact, or why there is none. */
export type SavedPerson =
  | { contactId: string; result: 'created' | 'unchanged'; findings: Finding[] }
  | { contactId: undefined; result: 'left_out'; findings: Finding[] };

/** Imports contacts and agents. Nothing reacts to it. */
export async function importContacts(trx: Trx, origin: Origin, records: SourceRecord[]): Promise<Outcome[]> {
  const agents = records.flatMap((record) => (record.kind === 'agent' ? [record.agent] : []));
  await rememberAgents(trx, origin, agents);
  const saved = await savePersons(
    trx,
    origin,
    records.flatMap((record) => (record.kind === 'contact' ? [record.contact] : [])),
  );
  return records.map((record): Outcome => {
    if (record.kind === 'left_out') return { result: 'left_out', ...record };
    if (record.kind === 'agent')
      return {
        result: 'left_out',
        externalId: record.agent.externalId,
        findings: [{ code: 'agent', reason: 'An agent is no contact: invite members by POST /members' }],
      };
    if (record.kind !== 'contact') throw new Error('a file of contacts has contacts');
    const { externalId } = record.contact;
    const { result, findings } = saved.get(externalId) ?? { result: 'unchanged' as const, findings: [] };
    saved.delete(externalId); // a second record of the same person changes nothing
    return { result, externalId, findings: result === 'unchanged' ? findings : [...record.findings, ...findings] };
  });
}

/** Remembers agents by their ids, for the conversations that name them by these. */
const rememberAgents = (trx: Trx, origin: Origin, agents: (AgentRecord & { externalId: string })[]): Promise<void> =>
  upsertImported(
    trx,
    origin,
    'agent',
    [...new Map(agents.map((agent) => [agent.externalId, agent])).values()].map(({ externalId, name, email }) => ({
      external_id: externalId,
      id: null,
      data: { name, email },
    })),
  );

/**
 * Saves persons that were not imported before, by their ids. One that is a contact already, by the e-mail address or else the
 * number, only gets what the contact does not have. One that was imported and is deleted here stays so.
 */
export async function savePersons(
  trx: Trx,
  origin: Origin,
  persons: PersonRecord[],
): Promise<Map<string, SavedPerson>> {
  const byId = new Map(persons.map((person) => [person.externalId, person]));
  const known = await findImported(trx, origin, 'contact', [...byId.keys()]);
  const existing = await lockExistingContacts(
    trx,
    origin.orgId,
    [...known.values()].flatMap(({ id }) => id ?? []),
  );
  const saved = new Map<string, SavedPerson>();
  for (const { external_id, id } of known.values())
    saved.set(external_id, id !== null && existing.has(id) ? asUnchanged(id) : DELETED_HERE);
  const drafts = [...byId.values()].filter(({ externalId }) => !known.has(externalId)).map(draftOf);
  for (const [externalId, person] of await saveDrafts(trx, origin.orgId, drafts)) saved.set(externalId, person);
  await upsertImported(
    trx,
    origin,
    'contact',
    drafts.flatMap(({ externalId }) => {
      const id = saved.get(externalId)?.contactId;
      return id === undefined ? [] : [{ external_id: externalId, id, data: {} }];
    }),
  );
  return saved;
}

const asUnchanged = (contactId: string): SavedPerson => ({ contactId, result: 'unchanged', findings: [] });
const DELETED_HERE: SavedPerson = {
  contactId: undefined,
  result: 'left_out',
  findings: [{ code: 'deleted_here', reason: 'The contact was imported and then deleted here' }],
};

interface Draft {
  externalId: string;
  save: ContactSave;
  findings: Finding[];
}

function draftOf({ externalId, email, phone, name, ownId, data, createdAt }: PersonRecord): Draft {
  const findings: Finding[] = [];
  const address = Email.safeParse(email).data;
  const number = PhoneNumber.safeParse(phone).data;
  if (email !== undefined && address === undefined)
    findings.push({ code: 'email_invalid', reason: 'The e-mail address is not valid' });
  if (phone !== undefined && number === undefined)
    findings.push({
      code: 'phone_invalid',
      reason: `The number has no country code: it is in custom_data.${PHONE_AS_WRITTEN}`,
    });
  const asWritten: Record<string, string> =
    phone !== undefined && number === undefined ? { [PHONE_AS_WRITTEN]: phone.slice(0, 100) } : {};
  const change = {
    email: address,
    phone: number,
    external_id: ownId !== undefined && ownId.length <= MAX_EXTERNAL_ID_LENGTH ? ownId : undefined,
    name: name?.slice(0, MAX_NAME_LENGTH),
    custom_data: { ...asWritten, ...data },
  };
  const by: KeyField | undefined = address !== undefined ? 'email' : number !== undefined ? 'phone' : undefined;
  return { externalId, save: { change, by, fillsOnly: true, createdAt }, findings };
}

const TAKEN: Record<string, { code: FindingCode; reason: string }> = {
  email: { code: 'email_taken', reason: 'Another contact has the e-mail address' },
  phone: { code: 'phone_taken', reason: 'Another contact has the number' },
  external_id: { code: 'external_id_taken', reason: 'Another contact has the external id' },
};

/**
 * Saves drafts. A person whose number or external id belongs to another contact is saved without it: two people of one
 * household share a number, and are not the same.
 */
async function saveDrafts(trx: Trx, orgId: string, drafts: Draft[]): Promise<Map<string, SavedPerson>> {
  const saved = new Map<string, SavedPerson>();
  for (let open = drafts; open.length > 0; ) {
    const results = await saveContactsSilently(
      trx,
      orgId,
      open.map(({ save }) => save),
    );
    const left: Draft[] = [];
    for (const [nth, draft] of open.entries()) {
      const result = results[nth];
      const without = result === undefined ? undefined : draftWithoutTaken(draft, result);
      if (without !== undefined) left.push(without);
      else if (result !== undefined) saved.set(draft.externalId, savedAs(draft, result));
    }
    open = left;
  }
  return saved;
}

function draftWithoutTaken({ save, findings, externalId }: Draft, result: SaveResult): Draft | undefined {
  const field = 'error' in result ? result.error.details.conflicting?.field : undefined;
  const finding = field === undefined ? undefined : TAKEN[field];
  if (field === undefined || finding === undefined || !(field in save.change)) return undefined;
  const change = { ...save.change };
  delete change[field as KeyField];
  const by = save.by === field ? undefined : save.by;
  return { externalId, save: { ...save, by, change }, findings: [...findings, finding] };
}

function savedAs({ findings }: Draft, result: SaveResult): SavedPerson {
  if ('error' in result)
    return {
      contactId: undefined,
      result: 'left_out',
      findings: [{ code: 'fields_left_out', reason: result.error.message }],
    };
  return { contactId: result.id, result: result.created ? 'created' : 'unchanged', findings };
}
