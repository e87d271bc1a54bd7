import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { EmailSenders } from '../activities/email-senders.ts';
import type { Db } from '../src/db/connect.ts';
import { ProviderError } from '../src/errors.ts';
import { findEmailSettings } from '../src/orgs/integrations.service.ts';
import type { Egress } from '../src/providers/egress.ts';
import type { EmailSender } from '../src/providers/email.ts';
import { createSmtpSender, type SmtpSettings, smtpSettingsOf } from '../src/providers/smtp.ts';
import type { Secrets } from '../src/secrets.ts';

const OPEN_SENDERS = 200;
const ADDRESS_TTL_MS = 5 * 60_000;

export interface EmailSendersDeps {
  db: Db;
  secrets: Secrets;
  egress: Egress;
  /** The default mail server, for orgs that have none of their own. */
  smtpUrl: string | undefined;
}

/** Senders by their settings: one pool of connections a mail server and login, however many batches use it. */
export function createEmailSenders({ db, secrets, egress, smtpUrl }: EmailSendersDeps): EmailSenders {
  const fallback = smtpUrl === undefined ? undefined : createSmtpSender(smtpSettingsOf(smtpUrl));
  const senders = new LRUCache<string, EmailSender>({
    max: OPEN_SENDERS,
    ttl: ADDRESS_TTL_MS,
    dispose: (sender) => sender.close(),
  });

  return {
    async of(orgId) {
      const settings = await findEmailSettings(db, secrets, orgId);
      if (settings === undefined) return fallback;
      const key = createHash('sha256').update(JSON.stringify(settings)).digest('base64');
      const known = senders.get(key);
      if (known !== undefined) return known;
      const sender = await guarded(egress, settings);
      senders.set(key, sender);
      return sender;
    },
    close() {
      fallback?.close();
      senders.clear();
    },
  };
}

/**
 * A sender to the checked address of a server that an org named; where it must not be reached, one that says so to every message.
 * Throws a transient ProviderError while the address cannot be looked up.
 */
async function guarded(egress: Egress, settings: SmtpSettings): Promise<EmailSender> {
  try {
    return createSmtpSender({ ...settings, address: await egress.resolve(settings.host) });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.transient) throw error;
    const reason = error.message;
    return {
      provider: 'smtp',
      concurrency: 1,
      send: async () => ({ kind: 'rejected', because: 'config', reason }),
      close: () => undefined,
    };
  }
}
