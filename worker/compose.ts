import type { Config } from '../src/config.ts';
import type { Db } from '../src/db/connect.ts';
import { createCallbackUrls } from '../src/deliveries/callback-urls.ts';
import { createMailTokens } from '../src/deliveries/mail-tokens.ts';
import type { Outlets } from '../src/deliveries/outlet.ts';
import { createUnsubscribeLinks } from '../src/deliveries/unsubscribe.ts';
import { ANYWHERE, createEgress } from '../src/providers/egress.ts';
import { createSecrets } from '../src/secrets.ts';
import { createEmailOutlets } from './email-outlets.ts';
import { createOutlets } from './outlets.ts';
import { createSandbox } from './sandbox.ts';

export interface Out {
  outlets: Outlets;
  close(): Promise<void>;
}

/** The ways out on all channels, as the configuration sets them. */
export function composeOutlets(config: Config, db: Db): Out {
  const secrets = createSecrets(config.SECRET_KEYS);
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  const ownEgress = createEgress({ allow: ANYWHERE });
  const callbacks = createCallbackUrls(config.JWT_SECRET, config.PUBLIC_URL);
  const sandbox = config.DEVELOPMENT ? createSandbox({ db, callbacks, egress: ownEgress }) : undefined;
  const email = createEmailOutlets({
    db,
    secrets,
    egress,
    links: createUnsubscribeLinks(config.JWT_SECRET, config.PUBLIC_URL),
    tokens: createMailTokens(config.JWT_SECRET),
    smtpUrl: config.SMTP_URL,
    inboundDomain: config.INBOUND_DOMAIN,
    isDevelopment: config.DEVELOPMENT,
  });
  const outlets = createOutlets({ db, secrets, egress, callbacks, email, sandbox });
  return {
    outlets,
    async close() {
      sandbox?.close();
      outlets.close();
      await Promise.all([egress.close(), ownEgress.close()]);
    },
  };
}
