import { randomBytes } from 'node:crypto';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { newId } from '../ids.ts';
import { insertOrg, insertRoles } from './queries.ts';
import { ROLE_NAMES } from './rules.ts';

const WIDGET_TOKEN_BYTES = 32;

export interface NewOrg {
  name: string;
  external_id?: string;
  website?: string;
  language?: string;
  ai_instructions?: string;
}

/** Makes an org of the partner with its built-in roles. Undefined, with nothing written, when its external_id is taken. */
export function openOrg(db: Db, partnerId: string, { name, external_id, website, language, ai_instructions }: NewOrg) {
  return inTransaction(db, async (trx) => {
    const org = await insertOrg(trx, {
      id: newId(),
      partner_id: partnerId,
      external_id: external_id ?? null,
      name,
      website: website ?? null,
      language: language ?? 'en',
      ai_instructions: ai_instructions ?? null,
      widget_token: randomBytes(WIDGET_TOKEN_BYTES).toString('base64url'),
    });
    if (org === undefined) return undefined;
    await insertRoles(
      trx,
      ROLE_NAMES.map((role) => ({ org_id: org.id, id: newId(), name: role })),
    );
    return org;
  });
}
