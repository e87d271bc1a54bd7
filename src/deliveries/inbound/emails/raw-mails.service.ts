import { createHash } from 'node:crypto';
import type { Db, Trx } from '../../../db/connect.ts';
import { spool } from '../../../media/spool.ts';
import { mailInFile, mailInMemory, type RawMail } from '../../mail/raw-mail.ts';
import { findMailPart, findRawMail, insertInboundEmail, insertMailPart, type NewInboundEmail } from './queries.ts';

/** Returns the hash that an e-mail to a recipient is known by. */
export async function hashOf(rcptTo: string, raw: RawMail): Promise<Buffer> {
  const hash = createHash('sha256').update(`${rcptTo}\n`);
  for await (const part of raw.parts()) hash.update(part);
  return hash.digest();
}

/** Returns what distinguishes an e-mail from others. */
export const descriptionOf = async (raw: RawMail) => ({
  size: raw.size,
  sha256: (await hashOf('', raw)).toString('hex'),
});

/**
 * Stores an e-mail once, in parts of bounded size. Returns false if it was stored before, or if its delivery or inbox was
 * deleted.
 */
export async function insertRawMail(
  trx: Trx,
  orgId: string,
  { raw, ...email }: Omit<NewInboundEmail, 'raw'> & { raw: RawMail },
): Promise<boolean> {
  let position = 0;
  for await (const bytes of raw.parts()) {
    if (position > 0) await insertMailPart(trx, orgId, { emailId: email.id, position, bytes });
    else if (!(await insertInboundEmail(trx, orgId, { ...email, raw: bytes }))) return false;
    position++;
  }
  return position > 0 || insertInboundEmail(trx, orgId, { ...email, raw: Buffer.alloc(0) });
}

/**
 * Opens a stored e-mail, a large one as a temporary file. Null after its deletion, also if that comes in between. The caller
 * must dispose of it.
 */
export async function openRawMail(db: Db, orgId: string, id: string): Promise<RawMail | null> {
  const { raw = null, parts = 0 } = (await findRawMail(db, orgId, id)) ?? {};
  if (raw === null) return null;
  if (parts === 0) return mailInMemory(raw);
  try {
    return mailInFile(await spool(partsOf(db, orgId, { id, raw, parts }), Number.POSITIVE_INFINITY));
  } catch (error) {
    if (error instanceof PartGone) return null;
    throw error;
  }
}

class PartGone extends Error {}

/** Yields an e-mail. Throws PartGone if its parts are not all there any more. */
async function* partsOf(
  db: Db,
  orgId: string,
  { id, raw, parts }: { id: string; raw: Buffer; parts: number },
): AsyncGenerator<Uint8Array> {
  yield raw;
  for (let position = 1; position <= parts; position++) {
    const part = await findMailPart(db, orgId, { emailId: id, position });
    if (part === undefined) throw new PartGone();
    yield part.bytes;
  }
}
