import { alreadyExists, type DomainError, invalid, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { FurtherKeys } from '../merging/rules.ts';
import {
  blankContact,
  type ContactChange,
  fillContact,
  limitViolationOf,
  mergeContact,
  type StoredContact,
} from './merge.rules.ts';

/** A change of the contact with this id or, without an id, with the external id, e-mail or phone number. */
export interface ContactSave {
  id?: string;
  /** Without an id, the only field by which the contact is looked for. */
  by?: KeyField | undefined;
  /** A contact that exists stays as it is. */
  isOnlyNew?: boolean;
  /** A contact that exists gets only what it does not have. */
  fillsOnly?: boolean;
  /** When a new contact was created. Absent: now. */
  createdAt?: Date | undefined;
  change: ContactChange;
}

export interface PendingSave extends ContactSave {
  index: number;
}

/** A contact as stored, with its row as JSON and what identified the contacts merged into it. */
type StoredRow = StoredContact & { row: object; further: FurtherKeys[] };

/** A contact during a round: its state before, its state after, and the saves applied to it. */
export interface ContactDraft {
  before: StoredContact | undefined;
  row: object | undefined;
  now: StoredContact;
  createdAt?: Date | undefined;
  indexes: number[];
  /** What finds it besides its own values. */
  further: Set<string>;
}

/** What identifies a contact, the strongest first: another system knows its own ids. */
const KEYS = [
  { field: 'external_id', column: 'external_id', name: 'external id' },
  { field: 'email', column: 'email', name: 'e-mail' },
  { field: 'phone', column: 'phone_number', name: 'number' },
] as const;
type Key = (typeof KEYS)[number];
export type KeyField = Key['field'];

/** The contacts of a round. `released` are the values that they no longer have. */
interface Round {
  byId: Map<string, ContactDraft>;
  byKey: Map<string, ContactDraft>;
  released: Set<string>;
}

const entryOf = ({ field }: Key, value: string) => `${field} ${value}`;

/** Returns the entries of all that identifies a contact. */
const entriesOf = (keys: FurtherKeys): string[] =>
  KEYS.flatMap((key) => {
    const value = keys[key.column];
    return value === null ? [] : [entryOf(key, value)];
  });

/** Tracks the contacts of a round by what identifies them while saves are applied to them. */
export function createDrafts(stored: StoredRow[]) {
  const round: Round = { byId: new Map(), byKey: new Map(), released: new Set() };
  const drafts = stored.map(
    ({ row, further, ...contact }): ContactDraft => ({
      before: contact,
      row,
      now: contact,
      indexes: [],
      further: new Set(further.flatMap(entriesOf)),
    }),
  );
  for (const draft of drafts) for (const entry of draft.further) round.byKey.set(entry, draft);
  for (const draft of drafts) put(round, draft);
  return {
    list: () => [...round.byId.values()].filter(({ indexes }) => indexes.length > 0),
    /**
     * Applies one save. Returns the error if it cannot be applied, or `later` if it needs a value released in this
     * round.
     */
    apply: (save: PendingSave) => applySave(round, save),
  };
}

function put({ byId, byKey }: Round, draft: ContactDraft): void {
  byId.set(draft.now.id, draft);
  for (const key of KEYS) {
    const value = draft.now[key.column];
    if (value !== null) byKey.set(entryOf(key, value), draft);
  }
}

function applySave(round: Round, save: PendingSave): DomainError | 'later' | undefined {
  const given = givenKeys(save.change);
  if (given.some(({ value }) => round.released.has(value))) return 'later';
  const target = targetOf(round, save);
  if (!('now' in target)) return target;
  const isKept = save.isOnlyNew === true && (target.before !== undefined || target.indexes.length > 0);
  const merge = save.fillsOnly === true ? fillContact : mergeContact;
  const change = save.id === undefined ? withoutFurther(target, save.change) : save.change;
  const now = isKept ? target.now : merge(target.now, change);
  const excess = limitViolationOf(now);
  if (excess !== undefined) return invalid(excess);
  release(round, target.now, now);
  target.now = now;
  target.createdAt ??= save.createdAt;
  target.indexes.push(save.index);
  put(round, target);
  return undefined;
}

/** Returns a change without the values of contacts that were merged into the contact, where it has others. */
function withoutFurther({ further, now }: ContactDraft, change: ContactChange): ContactChange {
  const fields = givenKeys(change).flatMap(({ key, value }) =>
    further.has(value) && now[key.column] !== null ? [key.field] : [],
  );
  return fields.length === 0 ? change : { ...change, ...Object.fromEntries(fields.map((field) => [field, undefined])) };
}

/** Returns the keys that a change sets, each with its value. */
const givenKeys = (change: ContactChange) =>
  KEYS.flatMap((key) => {
    const value = change[key.field];
    return value === undefined || value === null ? [] : [{ key, value: entryOf(key, value) }];
  });

function release({ byKey, released }: Round, before: StoredContact, now: StoredContact): void {
  for (const key of KEYS) {
    const value = before[key.column];
    if (value === null || value === now[key.column]) continue;
    byKey.delete(entryOf(key, value));
    released.add(entryOf(key, value));
  }
}

function targetOf(round: Round, { id, by, change, fillsOnly = false }: PendingSave): ContactDraft | DomainError {
  const owners = givenKeys(change).flatMap(({ key, value }) => {
    const owner = round.byKey.get(value);
    return owner === undefined ? [] : [{ key, owner }];
  });
  if (id === undefined) return targetByKeys(owners, { change, by, fillsOnly });
  const target = round.byId.get(id);
  if (target === undefined) return notFound('contact');
  const other = owners.find(({ owner }) => owner !== target);
  return other === undefined ? target : taken(other, `another contact has this ${other.key.name}`);
}

/** A key of a change, and the contact that has it. */
interface Owner {
  key: Key;
  owner: ContactDraft;
}

function targetByKeys(
  owners: Owner[],
  { change, by, fillsOnly }: Pick<PendingSave, 'change' | 'by' | 'fillsOnly'>,
): ContactDraft | DomainError {
  const [first] = by === undefined ? owners : owners.filter(({ key }) => key.field === by);
  const other = owners.find(({ owner }) => owner !== first?.owner);
  const name = KEYS.find(({ field }) => field === (first?.key.field ?? by))?.name ?? 'other value';
  if (other !== undefined) return taken(other, `this ${other.key.name} belongs to another contact than this ${name}`);
  if (first === undefined)
    return { before: undefined, row: undefined, now: blankContact(newId()), indexes: [], further: new Set() };
  return (fillsOnly === true ? undefined : externalIdViolationOf(first, change)) ?? first.owner;
}

/**
 * A contact of another system is not renamed to a second one of it by the address that both share. A change by id may do
 * that.
 */
function externalIdViolationOf({ key, owner }: Owner, { external_id }: ContactChange): DomainError | undefined {
  const stored = owner.now.external_id;
  if (typeof external_id !== 'string' || stored === null || stored === external_id) return undefined;
  if (owner.further.has(`external_id ${external_id}`)) return undefined;
  const message = `contact.external_id: the contact with this ${key.name} has another external id`;
  return alreadyExists(message, { type: 'contact', id: owner.now.id, field: 'external_id' });
}

const taken = ({ key, owner }: Owner, message: string) =>
  alreadyExists(`contact.${key.field}: ${message}`, { type: 'contact', id: owner.now.id, field: key.field });
