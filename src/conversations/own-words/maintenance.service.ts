import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { ownWordsIn } from './own-words.rules.ts';
import { listUnreadMessages, lockUnreadSession, updateOwnWords, updateReadSeq } from './queries.ts';

const MESSAGES_PER_CALL = 50;

/** Stores the own words of some e-mails of earlier versions, of one session a call. Returns 0 once none is left. */
export const storeOwnWordsOfOldMail = (db: Db): Promise<number> =>
  inTransaction(db, async (trx) => {
    const session = await lockUnreadSession(trx);
    if (session === undefined) return 0;
    const messages = await listUnreadMessages(trx, session, MESSAGES_PER_CALL);
    const found = messages.flatMap(({ seq, content }) => {
      const own_words = ownWordsIn('email', content ?? '');
      return own_words === undefined ? [] : [{ seq, own_words }];
    });
    if (found.length > 0) await updateOwnWords(trx, session, found);
    await updateReadSeq(trx, session, messages.length < MESSAGES_PER_CALL ? undefined : messages.at(-1)?.seq);
    return 1;
  });
