import type { Config } from './config.ts';
import type { Db } from './db/connect.ts';
import type { RateLimits } from './http/rate-limits.ts';
import type { Tokens } from './keys/tokens.ts';
import type { KeyVerifier } from './keys/verifier.ts';
import type { FareHarbor } from './providers/fareharbor.ts';
import type { IntegrationCheck } from './providers/integration-checks.ts';
import type { Secrets } from './secrets.ts';
import type { TemporalHealth } from './temporal/client.ts';

/** What the api's routes need of the outside. Made once, in main or in a test. */
export interface Deps {
  config: Config;
  db: Db;
  tokens: Tokens;
  keys: KeyVerifier;
  rateLimits: RateLimits;
  secrets: Secrets;
  temporal: TemporalHealth;
  fareHarbor: FareHarbor;
  checkIntegration: IntegrationCheck;
}
