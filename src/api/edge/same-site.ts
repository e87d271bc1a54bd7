import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { forbidden } from '../../errors.ts';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];
/** Browsers send `none` where a person opens an address by itself. */
const READING_SITES = ['same-origin', 'none'];

type Origins = Pick<Config, 'PUBLIC_URL' | 'dashboardUrl'>;

/**
 * Throws forbidden if a page of another site or of another host of this one sent the request. What a cookie authenticates
 * is refused then: browsers add cookies to requests that their users did not mean. Reading is refused too, as the length
 * of a compressed answer tells of its content.
 */
export function assertSameSite({ method, headers }: FastifyRequest, { PUBLIC_URL, dashboardUrl }: Origins): void {
  const site = headers['sec-fetch-site'];
  const isReading = SAFE_METHODS.includes(method);
  const isSame =
    typeof site === 'string'
      ? site === 'same-origin' || (isReading && READING_SITES.includes(site))
      : (isReading && headers.origin === undefined) ||
        [PUBLIC_URL, dashboardUrl].some((url) => new URL(url).origin === headers.origin);
  if (!isSame) throw forbidden('A request with a cookie must come from a page of this server');
}
