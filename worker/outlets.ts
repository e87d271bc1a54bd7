import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Db } from '../src/db/connect.ts';
import type { CallbackUrls } from '../src/deliveries/callback-urls.ts';
import type { Channel } from '../src/deliveries/contract.ts';
import type { Outlet, Outlets } from '../src/deliveries/outlet.ts';
import { findConnection } from '../src/orgs/integrations.service.ts';
import type { Egress } from '../src/providers/egress.ts';
import type { Secrets } from '../src/secrets.ts';
import { agentsOf, smsOutlet, voiceOutlet, whatsAppOutlet } from './channel-outlets.ts';
import type { EmailOutlets } from './email-outlets.ts';
import type { Sandbox } from './sandbox.ts';

const OPEN_OUTLETS = 500;
const TTL_MS = 5 * 60_000;

export interface OutletsDeps {
  db: Db;
  secrets: Secrets;
  egress: Egress;
  callbacks: CallbackUrls;
  email: EmailOutlets;
  /** Stands in, in development, for providers that are not connected. */
  sandbox: Sandbox | undefined;
}

interface Connection {
  settings: object;
  open(): Outlet;
}

/** The ways out of orgs: one outlet for each connection's settings, however many batches use it. */
export function createOutlets({ db, secrets, egress, callbacks, email, sandbox }: OutletsDeps): Outlets {
  const outlets = new LRUCache<string, Outlet>({ max: OPEN_OUTLETS, ttl: TTL_MS });

  const connections: Record<Exclude<Channel, 'email'>, (orgId: string) => Promise<Connection | undefined>> = {
    async sms(orgId) {
      const settings = await findConnection(db, secrets, orgId, 'sms');
      return settings && { settings, open: () => smsOutlet(egress, settings, callbacks.urlOf('twilio', orgId)) };
    },
    async whatsapp(orgId) {
      const settings = await findConnection(db, secrets, orgId, 'whatsapp');
      return settings && { settings, open: () => whatsAppOutlet(egress, settings) };
    },
    async voice(orgId) {
      const settings = await findConnection(db, secrets, orgId, 'voice');
      if (settings === undefined) return undefined;
      const withSecret = { ...settings, webhook_secret: settings.webhook_secret ?? callbacks.secretOf('vapi', orgId) };
      const url = callbacks.urlOf('vapi', orgId);
      return { settings, open: () => voiceOutlet(egress, withSecret, url, agentsOf(db)) };
    },
  };

  return {
    async of(orgId, channel) {
      if (channel === 'email') return email.of(orgId);
      const connection = await connections[channel](orgId);
      if (connection === undefined) return sandbox?.of(orgId, channel);
      const key = createHash('sha256')
        .update(JSON.stringify([channel, orgId, connection.settings]))
        .digest('base64');
      const known = outlets.get(key);
      if (known !== undefined) return known;
      const outlet = connection.open();
      outlets.set(key, outlet);
      return outlet;
    },
    close: () => email.close(),
  };
}
