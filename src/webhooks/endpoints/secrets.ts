import { randomBytes } from 'node:crypto';
import type { Secrets } from '../../secrets.ts';
import type { EarlierSecret } from '../table.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

interface EndpointRow {
  org_id: string;
  id: string;
}

/** Returns a new secret of the Standard Webhooks scheme. */
export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** Returns the key that a secret stands for. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

const placeOf = ({ org_id, id }: EndpointRow, column: 'secret' | 'headers') => ({
  orgId: org_id,
  table: 'webhook_endpoints',
  column,
  row: id,
});

export const sealSecret = (secrets: Secrets, row: EndpointRow, secret: string): string =>
  secrets.encrypt(secret, placeOf(row, 'secret'));

/** Opens a secret: the present one, or an earlier one. */
export const openSecret = (secrets: Secrets, row: EndpointRow, sealed: string): string =>
  secrets.decrypt(sealed, placeOf(row, 'secret'));

/** Returns the earlier secrets that sign as well, the latest first. */
export const stillSigning = ({ earlier_secrets }: { earlier_secrets: EarlierSecret[] }): EarlierSecret[] =>
  earlier_secrets.filter(({ until }) => Date.parse(until) > Date.now());

/** Returns headers as they are stored: null if there are none. */
export const sealHeaders = (secrets: Secrets, row: EndpointRow, headers: Record<string, string>): string | null =>
  Object.keys(headers).length === 0 ? null : secrets.encrypt(JSON.stringify(headers), placeOf(row, 'headers'));

export const openHeaders = (secrets: Secrets, row: EndpointRow, sealed: string | null): Record<string, string> =>
  sealed === null ? {} : JSON.parse(secrets.decrypt(sealed, placeOf(row, 'headers')));
