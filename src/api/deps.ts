import type { Pool } from 'pg';
import type { CallWaiters } from '../ai/turns/waiting.service.ts';
import type { WakeUps } from '../concurrency/wake-ups.ts';
import type { Config } from '../config.ts';
import type { ContactDeliveriesPort } from '../contacts/deliveries.port.ts';
import type { ContactMergePort } from '../contacts/merging/parts.port.ts';
import type { AnswersPort } from '../conversations/answers.port.ts';
import type { OtherJobs } from '../conversations/bulk/jobs.port.ts';
import type { DeliveriesPort } from '../conversations/deliveries.port.ts';
import type { ConfirmationsPort } from '../conversations/inbox/confirmations.port.ts';
import type { Broadcasts } from '../conversations/live/broadcasts.ts';
import type { LiveStreams } from '../conversations/live/streams.service.ts';
import type { SendingDeps } from '../conversations/messages/service.ts';
import type { PresenceBoard } from '../conversations/presence/presence.ts';
import type { Db } from '../db/connect.ts';
import type { WriteQuota } from '../db/write-quota.ts';
import type { PhoneToolsPort } from '../deliveries/callbacks/phone-tools.port.ts';
import type { TransferHoldPort } from '../deliveries/callbacks/transfer-hold.port.ts';
import type { SurveyLinks } from '../deliveries/ledger/delivery-links.ts';
import type { DocumentReader } from '../documents/reader.ts';
import type { Embedder } from '../embedder/embedder.ts';
import type { Tokens } from '../keys/tokens.ts';
import type { KeyVerifier } from '../keys/verifier.ts';
import type { SemanticSearch } from '../knowledge/search/passage-search.service.ts';
import type { MediaLinks } from '../media/links.ts';
import type { CallbackUrls } from '../orgs/integrations/callback-urls.ts';
import type { ConnectionCalls } from '../orgs/integrations/calls.service.ts';
import type { PhonePlatforms } from '../phone-agents/platform.ts';
import type { Dns } from '../providers/egress/dns.ts';
import type { Egress } from '../providers/egress/egress.ts';
import type { FareHarbor } from '../providers/fareharbor.ts';
import type { IntegrationCheck } from '../providers/integration-checks.ts';
import type { Storage } from '../providers/storage/port.ts';
import type { Secrets } from '../secrets.ts';
import type { SessionVerifier } from '../sign-in/verifier.ts';
import type { TemporalHealth } from '../temporal/client.ts';
import type { RateLimits } from './edge/rate-limits.ts';

/** The dependencies of the api's routes. Created once, in main or in a test. */
export interface Deps {
  config: Config;
  db: Db;
  /** The connections that `db` uses. */
  pool: Pool;
  tokens: Tokens;
  keys: KeyVerifier;
  /** Verifies the sessions of members who are signed in. */
  sessions: SessionVerifier;
  rateLimits: RateLimits;
  quota: WriteQuota;
  secrets: Secrets;
  temporal: TemporalHealth;
  /** For requests to addresses named by customers. */
  egress: Egress;
  /** For requests to the orgs' connections. */
  calls: ConnectionCalls;
  /** The embedding model that comes with the product. */
  embedder: Embedder;
  semantics: SemanticSearch;
  fareHarbor: FareHarbor;
  callbacks: CallbackUrls;
  /** Maximum wait of a request for a provider's response to its message. */
  maxWaitMs: number;
  /** Aborted when the api begins to close: requests that only wait are answered then. */
  closing: AbortController;
  checkIntegration: IntegrationCheck;
  dns: Dns;
  /** Reads documents of customers in a thread. */
  documents: DocumentReader;
  storage: Storage;
  mediaLinks: MediaLinks;
  /** The port of conversations to the domain that sends. */
  deliveries: DeliveriesPort;
  /** The port of contacts to the domain that sends. */
  contactDeliveries: ContactDeliveriesPort;
  /** The port of merges of contacts to the domains that have something of contacts. */
  contactMerges: ContactMergePort;
  /** The links to surveys. */
  surveyLinks: SurveyLinks;
  /** With which messages of sessions go out. */
  sending: SendingDeps;
  liveStreams: LiveStreams;
  /** The streams that follow what is not stored as an event. */
  broadcasts: Broadcasts;
  presence: PresenceBoard;
  /** The port of voice platforms' callbacks to the AI. */
  phoneTools: PhoneToolsPort;
  /** The voice platforms of orgs. */
  phonePlatforms: PhonePlatforms;
  /** The port of voice platforms' callbacks to customers' workflows. */
  transferHold: TransferHoldPort;
  /** Returns what the page has told of a contact's visit. */
  chatContextOf(db: Db, orgId: string, contactId: string): Promise<string | null>;
  /** The port of conversations to the AI. */
  answers: AnswersPort;
  /** The port of the inbox to the AI. */
  confirmations: ConfirmationsPort;
  /** The jobs of domains above conversations. */
  otherJobs: readonly OtherJobs[];
  callWaiters: CallWaiters;
  /** Wakes widgets that wait for news of their sessions. */
  widgetPolls: WakeUps;
  /** Interval between attempts to delete what is left of deleted files. */
  filePurgeMs: number;
  /** Interval of heartbeats in an idle stream of events. */
  heartbeatMs: number;
  /** The event loop's delay above which requests are refused with 503. Zero refuses none. */
  maxEventLoopDelayMs: number;
}
