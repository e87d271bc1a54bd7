import { findContactsLike } from '../../contacts/search/text-search.service.ts';
import { findMessages } from '../../conversations/search/service.ts';
import type { Db } from '../../db/connect.ts';
import { isUuid } from '../../ids.ts';
import type { OrgPrincipal } from '../../keys/verifier.ts';
import { readableKinds } from '../parts.schema.ts';
import { findItems } from './queries.ts';
import { type FoundItem, SEARCH_SCOPES, type SearchAll, type SearchKind } from './schema.ts';

const TICKET_NUMBER = /^(#?)([0-9]{1,12})$/;
const SHOWN_CHARACTERS = 200;

/** Finds everything of an org that the caller may read: by ticket number, by id, by name, or by words of messages. */
export async function searchAll(db: Db, { id: orgId, scopes }: OrgPrincipal, { q, kinds, limit }: SearchAll) {
  const text = q.trim();
  const [, hash, number] = TICKET_NUMBER.exec(text) ?? [];
  const readable = readableKinds(SEARCH_SCOPES, scopes, kinds).filter((kind) => hash !== '#' || kind === 'session');
  const isId = isUuid(text);
  const sought = {
    orgId,
    id: isId ? text : undefined,
    ticketNumber: number === undefined ? undefined : Number(number),
    part: isId ? undefined : text,
  };
  const has = (kind: SearchKind) => readable.includes(kind) && !isId;
  const [items, contacts, messages] = await Promise.all([
    findItems(db, sought, { kinds: readable.filter((kind) => kind !== 'message'), limit }),
    has('contact') ? findContactsLike(db, orgId, text, { limit }) : [],
    has('message') ? findMessages(db, orgId, text, limit) : [],
  ]);
  const found: FoundItem[] = [...items, ...contacts.map(itemOfContact), ...messages.map(itemOfMessage)];
  const order = Object.keys(SEARCH_SCOPES);
  return { items: found.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)) };
}

interface FoundContact {
  id: string;
  name: string | null;
  email: string | null;
  phone: string | null;
}

const itemOfContact = ({ id, name, email, phone }: FoundContact): FoundItem => ({
  kind: 'contact',
  title: name ?? email ?? phone ?? 'Nameless contact',
  detail: email ?? phone,
  ref: { kind: 'contact', id },
});

const itemOfMessage = ({ session_id, message }: { session_id: string; message: string }): FoundItem => ({
  kind: 'message',
  title: [...message].slice(0, SHOWN_CHARACTERS).join(''),
  detail: null,
  ref: { kind: 'session', id: session_id },
});
