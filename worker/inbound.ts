import type { FastifyBaseLogger } from 'fastify';
import type { InboundEmailActivityDeps } from '../activities/inbound-emails.ts';
import type { Config } from '../src/config.ts';
import type { Db } from '../src/db/connect.ts';
import { storeInboundEmail } from '../src/deliveries/inbound-emails.service.ts';
import { createMailReader } from '../src/deliveries/mail-reader.ts';
import { createMailTokens, type MailTokens } from '../src/deliveries/mail-tokens.ts';
import { type MailReceiver, startMailReceiver } from '../src/providers/mail-receiver.ts';

type Log = Pick<FastifyBaseLogger, 'warn'>;

export interface In {
  /** What the activities need to read the mail that came in. */
  deps: Pick<InboundEmailActivityDeps, 'tokens' | 'mailReader'>;
  /** Where mail comes in, if any does. */
  port: number | undefined;
  /** Takes no more mail. */
  stop(): Promise<void>;
  /** Reads no more mail: to be called when no activity runs any more. */
  close(): Promise<void>;
}

/** The way in for mail, as the configuration sets it. */
export async function composeInbound(config: Config, db: Db, log: Log): Promise<In> {
  const tokens = createMailTokens(config.JWT_SECRET);
  const mailReader = createMailReader();
  const receiver = await receiveMail(config, db, tokens, log);
  return {
    deps: { tokens, mailReader },
    port: receiver?.port,
    stop: async () => receiver?.stop(),
    close: mailReader.close,
  };
}

/** Takes mail for the bounce and reply addresses of deliveries. */
async function receiveMail(config: Config, db: Db, tokens: MailTokens, log: Log): Promise<MailReceiver | undefined> {
  const { INBOUND_DOMAIN: domain, INBOUND_SMTP_PORT: port, HOST: host } = config;
  if (domain === undefined || port === undefined) return undefined;
  return startMailReceiver({
    name: domain,
    host,
    port,
    log,
    isRecipient: (address) => tokens.readAddress(address, domain) !== undefined,
    async accept({ mailFrom, recipients }, raw) {
      const known = recipients.flatMap((address) => {
        const mailbox = tokens.readAddress(address, domain);
        return mailbox === undefined ? [] : [{ address, mailbox }];
      });
      await storeInboundEmail(db, { mailFrom, recipients: known, raw });
    },
  });
}
