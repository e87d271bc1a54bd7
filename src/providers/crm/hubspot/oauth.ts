import { z } from 'zod';
import { joinUrl } from '../../../text/urls.rules.ts';
import type { HttpClient } from '../../egress/egress.ts';
import { jsonOf } from '../../egress/provider-responses.ts';
import { CrmError } from '../errors.ts';
import { BASE_URL } from './api.ts';
import { failureOf, failureWithoutResponse, unexpectedResponse } from './failures.ts';

export interface OauthGrant {
  client_id: string;
  client_secret: string;
  refresh_token: string;
}

export interface GrantedToken {
  accessToken: string;
  /** The refresh token for the next refresh. */
  refreshToken: string;
  expiresInSeconds: number;
}

/**
 * Exchanges a grant for a fresh token. Throws a CrmError. If this has areCredentialsRefused, the grant is no longer
 * valid.
 */
export type RefreshToken = (endpoint: TokenEndpoint, grant: OauthGrant) => Promise<GrantedToken>;

/** Where a connection gets its tokens. Absent parts have defaults. */
export interface TokenEndpoint {
  base_url?: string | undefined;
  token_path?: string | undefined;
}

/** Returns the request of a token for a grant. */
export const refreshRequestOf = (grant: OauthGrant) =>
  ({
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'refresh_token', ...grant }).toString(),
  }) as const;

const Granted = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().positive(),
});

const NOT_FOUND = 404;
/** Statuses of an authorization server for a refused grant or client (RFC 6749, 5.2), and where there is no such server. */
const REFUSALS = new Set<number | undefined>([400, 401, 403, NOT_FOUND]);

/** `tokenPath` is for connections without a path of their own. */
export function createTokenRefresh(requests: HttpClient, tokenPath: string): RefreshToken {
  return async ({ base_url = BASE_URL, token_path = tokenPath }, grant) => {
    const secrets = [grant.client_secret, grant.refresh_token];
    const answer = await requests
      .request(joinUrl(base_url, token_path), refreshRequestOf(grant))
      .catch((error: unknown) => {
        throw failureWithoutResponse(error, true);
      });
    if (answer.status >= 400) throw refusalOf(failureOf(answer, { isWrite: true, secrets }));
    const granted = Granted.safeParse(jsonOf(answer)).data;
    if (granted === undefined) throw unexpectedResponse(answer.status, 'a token', true);
    return {
      accessToken: granted.access_token,
      refreshToken: granted.refresh_token ?? grant.refresh_token,
      expiresInSeconds: granted.expires_in,
    };
  };
}

/** Turns the refusal of a grant into refused credentials: a new connection is needed. */
function refusalOf(failure: CrmError): CrmError {
  const { message, status } = failure;
  if (!REFUSALS.has(status) || failure.areCredentialsRefused) return failure;
  return new CrmError(`HubSpot refuses the credentials: ${message}`, {
    status,
    transient: true,
    areCredentialsRefused: true,
  });
}
