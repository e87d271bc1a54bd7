import type { FastifyRequest } from 'fastify';
import { isUuid } from '../../ids.ts';
import { findPhoneNumber } from '../queries.ts';

const E164 = /^\+\d+$/;

/**
 * Leaves out the number of a contact that is sent back as it was read. It may be no phone number, such as the short code or
 * the name from which somebody wrote.
 */
export async function leaveOwnNumber({ db, org, params, body }: FastifyRequest): Promise<void> {
  const { id } = params as { id: string };
  const { contact } = (body ?? {}) as { contact?: { phone?: unknown; phone_number?: unknown } };
  if (org === null || !isUuid(id) || typeof contact !== 'object' || contact === null) return;
  const numbers = [contact.phone, contact.phone_number].filter((one) => typeof one === 'string');
  if (numbers.every((one) => E164.test(one))) return;
  const own = await findPhoneNumber(db, org.id, id);
  if (contact.phone === own) delete contact.phone;
  if (contact.phone_number === own) delete contact.phone_number;
}
