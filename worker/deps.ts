import type { FastifyBaseLogger } from 'fastify';
import type { ActivityDeps } from '../activities/index.ts';
import { EXPORTS_AT_ONCE } from '../activities/jobs/exports.ts';
import { findPhoneAssistant } from '../src/ai/phone-tools/profiles.service.ts';
import type { Config } from '../src/config.ts';
import { createRenderer } from '../src/crawl/rendering/renderer.ts';
import type { CrmClients } from '../src/crm/connection/clients.ts';
import { createTicket } from '../src/crm/handoffs/ticket-creation.service.ts';
import { createHubspotFactory } from '../src/crm/hubspot/client.ts';
import { createConversationStore } from '../src/crm/salesforce/conversation-store.service.ts';
import type { Db } from '../src/db/connect.ts';
import { turnOffFastPaths } from '../src/db/fast-paths.ts';
import { listen } from '../src/db/listen.ts';
import { connectForSnapshots } from '../src/db/snapshot.ts';
import type { WriteQuota } from '../src/db/write-quota.ts';
import { createInlineReceiver } from '../src/deliveries/inbound/emails/inline/service.ts';
import { receiveMail } from '../src/deliveries/inbound/emails/mail-receiving.service.ts';
import { createFileDownload } from '../src/deliveries/inbound/file-download.ts';
import { createMailTokens } from '../src/deliveries/inbound/mail-tokens.ts';
import { createSurveyLinks, createUnsubscribeLinks } from '../src/deliveries/ledger/delivery-links.ts';
import { createMailReader } from '../src/deliveries/mail/mail-reader.ts';
import { deliveriesPort } from '../src/deliveries/ports.ts';
import { createSandbox } from '../src/deliveries/sandbox/sandbox-senders.ts';
import { createFileLoader, type SendWithFiles } from '../src/deliveries/sending/file-loader.ts';
import { createEmailSenders } from '../src/deliveries/sending/senders/email-senders.ts';
import { createMessageSenders } from '../src/deliveries/sending/senders/message-senders.ts';
import { createConfiguredEmbedder } from '../src/embedder/embedder.ts';
import { createExtractor } from '../src/extraction/service.ts';
import { createSemanticSearch } from '../src/knowledge/embedding/semantic-search.ts';
import { createMediaLinks } from '../src/media/links.ts';
import { createCallbackUrls } from '../src/orgs/integrations/callback-urls.ts';
import { type ConnectionCalls, createConnectionCalls } from '../src/orgs/integrations/calls.service.ts';
import { findConnection } from '../src/orgs/integrations/service.ts';
import { createSalesforce } from '../src/providers/crm/salesforce/salesforce.ts';
import { ALLOW_ALL, createEgress, type Egress } from '../src/providers/egress/egress.ts';
import { createMailAuthenticator } from '../src/providers/email/authenticator.ts';
import { startMailReceiver } from '../src/providers/email/mail-receiver.ts';
import { createSmtpSender, smtpSettingsOf } from '../src/providers/email/smtp.ts';
import { createCountedStorage } from '../src/providers/storage/counted.ts';
import { createStorage } from '../src/providers/storage/storage.ts';
import { createSecrets, type Secrets } from '../src/secrets.ts';
import { loginMailSenderOf } from '../src/sign-in/mail.service.ts';
import { createTagLearner } from '../src/tagging/learner.ts';
import { createSenderRegistry } from '../src/webhooks/sending/sender-registry.ts';
import { WEBHOOKS_CHANNEL } from '../src/webhooks/waking.service.ts';

export interface WorkerDeps {
  deps: Omit<ActivityDeps, 'stopping' | 'quota'>;
  /** The port for receiving e-mail. Undefined if no e-mail is received. */
  inboundPort: number | undefined;
  /** Stops receiving e-mail. Call it first. */
  stopReceiving(): Promise<void>;
  /** Call it when no activity is running any more. The caller closes the database. */
  close(): Promise<void>;
}

/** Creates the dependencies of the activities by the configuration, and starts receiving e-mail if told so. */
export async function createWorkerDeps(
  config: Config,
  db: Db,
  { quota, log, receivesMail }: { quota: WriteQuota; log: Pick<FastifyBaseLogger, 'warn'>; receivesMail: boolean },
): Promise<WorkerDeps> {
  if (config.FAST_PATHS === 'off') turnOffFastPaths(db);
  const secrets = createSecrets(config.SECRET_KEYS);
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  const calls = createConnectionCalls(db, log);
  const tokens = createMailTokens(config.signingSecrets);
  const mediaLinks = createMediaLinks(config.signingSecrets, config.PUBLIC_URL);
  const handoffDeps = {
    crms: createCrmClients(config, db, { secrets, egress, calls }),
    dashboardUrl: config.dashboardUrl,
  };
  const mailer = config.SMTP_URL === undefined ? undefined : createSmtpSender(smtpSettingsOf(config.SMTP_URL));
  const extractor = createExtractor();
  const renderer = createRenderer({ path: config.CHROMIUM_PATH, isSandboxed: config.CHROMIUM_SANDBOX === 'on' }, log);
  const tagLearner = createTagLearner();
  const mailReader = createMailReader();
  const embedder = createConfiguredEmbedder(config, log);
  const semantics = createSemanticSearch({ egress, secrets, calls, embedder });
  const storage = createCountedStorage(createStorage(config), quota.add);
  const withFiles = createFileLoader(db, storage);
  const sending = createSenders(config, db, { secrets, egress, calls, tokens, withFiles });
  const snapshots = connectForSnapshots(config.DATABASE_URL, EXPORTS_AT_ONCE);
  const webhookSenders = createSenderRegistry();
  const webhookListener = config.WORKER_QUEUES.includes('webhooks')
    ? listen(config.DATABASE_URL, WEBHOOKS_CHANNEL, webhookSenders.notify)
    : undefined;
  const authenticator = createMailAuthenticator({ servers: config.DNS_SERVERS });
  const trustedAuthservIds = config.MAIL_AUTHSERV_IDS;
  const processInline = createInlineReceiver({ db, tokens, mailReader, authenticator, trustedAuthservIds, log });
  const receiver = receivesMail
    ? await receiveMail({ db, tokens, quota, log, startReceiver: startMailReceiver, processInline }, config)
    : undefined;
  return {
    deps: {
      db,
      egress,
      calls,
      secrets,
      embedder,
      semantics,
      tokens,
      publicUrl: config.PUBLIC_URL,
      mailReader,
      authenticator,
      trustedAuthservIds,
      storage,
      snapshots: snapshots.db,
      mediaLinks,
      download: createFileDownload(db, { egress, secrets }),
      tagLearner,
      webhookSenders,
      senders: sending.senders,
      loginMails: { db, dashboardUrl: config.dashboardUrl, mailer, from: loginMailSenderOf(config) },
      channelDefaults: { hasMailServer: config.SMTP_URL !== undefined, isDevelopment: config.DEVELOPMENT },
      ...handoffDeps,
      surveyLinks: createSurveyLinks(config.signingSecrets, config.PUBLIC_URL),
      sending: { mediaLinks, isDevelopment: config.DEVELOPMENT, deliveries: deliveriesPort },
      createTicket: (...wanted) => createTicket(db, handoffDeps, ...wanted),
      crawling: { egress, extractor, renderer, delayMs: config.CRAWL_DELAY_MS },
    },
    inboundPort: receiver?.port,
    stopReceiving: async () => receiver?.stop(),
    async close() {
      embedder.close();
      await Promise.all([
        sending.close(),
        mailer?.close(),
        mailReader.close(),
        storage.close(),
        snapshots.close(),
        extractor.close(),
        renderer?.close(),
        tagLearner.close(),
        egress.close(),
        calls.close(),
        webhookListener?.close(),
      ]);
    },
  };
}

interface SharedDeps {
  secrets: Secrets;
  egress: Egress;
  calls: ConnectionCalls;
  tokens: ReturnType<typeof createMailTokens>;
  withFiles: SendWithFiles;
}

/** Creates the senders of all channels. In development, the sandbox replaces channels without a connection. */
function createSenders(config: Config, db: Db, { secrets, egress, calls, tokens, withFiles }: SharedDeps) {
  const ownEgress = createEgress({ allow: ALLOW_ALL });
  const callbacks = createCallbackUrls(config.signingSecrets, config.PUBLIC_URL);
  const findAgent = findPhoneAssistant;
  const sandbox = config.DEVELOPMENT
    ? createSandbox({ db, callbacks, egress: ownEgress, withFiles, findAgent })
    : undefined;
  const email = createEmailSenders({
    db,
    secrets,
    egress,
    calls,
    links: createUnsubscribeLinks(config.signingSecrets, config.PUBLIC_URL),
    tokens,
    withFiles,
    smtpUrl: config.SMTP_URL,
    inboundDomain: config.INBOUND_DOMAIN,
    isDevelopment: config.DEVELOPMENT,
  });
  const senders = createMessageSenders({ db, secrets, egress, callbacks, calls, email, withFiles, findAgent, sandbox });
  return {
    senders,
    async close() {
      sandbox?.close();
      senders.close();
      await ownEgress.close();
    },
  };
}

function createCrmClients(
  config: Config,
  db: Db,
  { secrets, egress, calls }: Omit<SharedDeps, 'tokens' | 'withFiles'>,
): CrmClients {
  const hubspotOf = createHubspotFactory({
    db,
    secrets,
    requests: egress,
    calls,
    tokenPath: config.HUBSPOT_TOKEN_PATH,
  });
  return {
    async hubspot(orgId) {
      const settings = await findConnection(db, secrets, orgId, 'crm');
      return settings && { settings, client: hubspotOf(orgId, settings) };
    },
    async salesforce(orgId) {
      const settings = await findConnection(db, secrets, orgId, 'miaw');
      if (settings === undefined) return undefined;
      const observed = calls.observe(egress, { orgId, kind: 'miaw', settings });
      return createSalesforce({ egress: observed, store: createConversationStore(db, secrets, orgId) }, settings);
    },
  };
}
