import { z } from 'zod';
import { EgressError, type EgressResponse } from '../../egress/egress.ts';
import { jsonOf, reasonFrom, retryAfterOf } from '../../egress/provider-responses.ts';
import { CrmError } from '../errors.ts';

const LOCKED = 423;
const MIGRATING = 477;
/** Delays after a 429 without Retry-After, by rate limit policy. */
const DELAYS_MS = new Map<string | undefined, number>([
  ['SECONDLY', 1_000],
  ['TEN_SECONDLY_ROLLING', 10_000],
  // Ends at midnight in the portal's time zone.
  ['DAILY', 15 * 60_000],
]);
const MIN_DELAY_MS = 1_000;

/** HubSpot's description of a failure. The token endpoint uses two forms of its own. */
const Refused = z.object({
  message: z.string().optional().catch(undefined),
  category: z.string().optional().catch(undefined),
  policyName: z.string().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
  error_description: z.string().optional().catch(undefined),
});

/**
 * Returns the failure for a response of status 400 and above. The response may quote `secrets`: these were sent with
 * the request.
 */
export function failureOf(
  answer: EgressResponse,
  { isWrite, secrets }: { isWrite: boolean; secrets: string[] },
): CrmError {
  const { status, headers } = answer;
  const refused = Refused.safeParse(jsonOf(answer)).data ?? {};
  const isPassing = status === 429 || status === LOCKED || status === MIGRATING || status >= 500;
  const reason = isPassing ? labelOf(status, refused) : reasonFrom(explanationOf(status, refused), secrets);
  const failure = { status, retryAfterMs: retryAfterOf(headers['retry-after']) };
  if (status === 401) {
    return new CrmError(`HubSpot refuses the credentials: ${reason}`, {
      ...failure,
      transient: true,
      areCredentialsRefused: true,
    });
  }
  if (status === 429) {
    const pauseMs = failure.retryAfterMs ?? DELAYS_MS.get(refused.policyName) ?? MIN_DELAY_MS;
    return new CrmError(reason, { status, transient: true, retryAfterMs: pauseMs });
  }
  return new CrmError(reason, { ...failure, transient: isPassing, mayHaveArrived: isWrite && status >= 500 });
}

/** Returns the failure of a request without a response. */
export function failureWithoutResponse(error: unknown, isWrite: boolean): unknown {
  if (!(error instanceof EgressError)) return error;
  const { message, transient, mayHaveArrived } = error;
  // A blocked address comes from the settings, so a corrected one may succeed later.
  return new CrmError(`HubSpot: ${message}`, {
    transient: transient || !mayHaveArrived,
    mayHaveArrived: isWrite && mayHaveArrived,
    cause: error,
  });
}

/**
 * Returns the failure for an unusable successful response. If it was a write, it may have had its effect and must be
 * looked for.
 */
export const unexpectedResponse = (status: number, what: string, isWrite: boolean) =>
  new CrmError(`HubSpot answered ${status} with something else than ${what}`, {
    status,
    transient: true,
    mayHaveArrived: isWrite,
  });

/**
 * Temporal stores the messages of transient failures permanently. They therefore contain only HubSpot's codes, as its
 * sentences may quote request data.
 */
function labelOf(status: number, { category, policyName }: z.infer<typeof Refused>): string {
  const codes = [category, policyName].filter((code) => code !== undefined && /^\w{1,64}$/.test(code));
  return ['HubSpot answered', status, ...codes].join(' ');
}

function explanationOf(status: number, refused: z.infer<typeof Refused>): string {
  const said = refused.message ?? refused.error_description ?? refused.error;
  if (said === undefined) return `HubSpot answered ${status}`;
  return `${['HubSpot', status, refused.category].filter((part) => part !== undefined).join(' ')}: ${said}`;
}
