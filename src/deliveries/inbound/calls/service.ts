import { isContactBlocked } from '../../../contacts/blocklist/service.ts';
import { toE164 } from '../../../contacts/phone-number.schema.ts';
import { openInboundCall } from '../../../conversations/messages/phone-calls.service.ts';
import type { Trx } from '../../../db/connect.ts';
import { newId } from '../../../ids.ts';
import type { InboundCall } from '../../../providers/sending.ts';
import { findInbound, insertInboundMessage, updateInboundContact } from '../messages.queries.ts';
import { insertCallUnderWay } from './shared.queries.ts';

const PROVIDER = 'vapi';
const WITHHELD = 'anonymous';

/** Who calls, or that the contact is blocked. */
type Caller = { contactId: string | null } | 'blocked';

/** Stores a call once, with its session. That of a blocked contact is stored without one. */
export async function receiveCall(
  trx: Trx,
  orgId: string,
  { providerId, name, to, toId, ...call }: InboundCall,
): Promise<Caller> {
  const number = toE164(call.from ?? '') ?? null;
  const dialled = to ?? toId ?? 'an unknown number';
  const id = newId();
  const stored = { id, provider: PROVIDER, providerId, from: number ?? call.from ?? WITHHELD, to: dialled, toId, name };
  const message = { ...stored, channel: 'voice', body: '', deliveryId: undefined, isReply: true } as const;
  const contactId = await insertInboundMessage(trx, orgId, message);
  const known = contactId ?? (await findInbound(trx, orgId, { provider: PROVIDER, providerId }))?.contact_id ?? null;
  if (await isContactBlocked(trx, orgId, known)) return 'blocked';
  if (contactId === undefined) return { contactId: known };
  const caller = await openInboundCall(trx, orgId, { id, contactId, from: number, to: dialled, name });
  await insertCallUnderWay(trx, orgId, { id, providerId });
  if (contactId === null && caller !== null) await updateInboundContact(trx, orgId, id, caller);
  return { contactId: caller };
}
