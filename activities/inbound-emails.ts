import { log } from '@temporalio/activity';
import type { Db } from '../src/db/connect.ts';
import type { InboundEmailRef, InboundEmailResult } from '../src/deliveries/contract.ts';
import { receiveInboundEmail } from '../src/deliveries/inbound/emails.service.ts';
import type { MailReader } from '../src/deliveries/inbound/mail-reader.ts';
import type { MailTokens } from '../src/deliveries/inbound/mail-tokens.ts';

export interface InboundEmailActivityDeps {
  db: Db;
  tokens: MailTokens;
  mailReader: MailReader;
}

export type InboundEmailActivities = ReturnType<typeof createInboundEmailActivities>;

export const createInboundEmailActivities = ({ db, tokens, mailReader }: InboundEmailActivityDeps) => ({
  /** Processes a bounce or a reply. Running it twice does no harm. */
  async receiveInboundEmail(email: InboundEmailRef): Promise<InboundEmailResult> {
    const result = await receiveInboundEmail(db, tokens, mailReader, email);
    if (result === 'unreadable') log.warn('an e-mail could not be read', { ...email });
    return result;
  },
});
