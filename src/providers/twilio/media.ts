import type { Egress } from '../egress/egress.ts';
import { downloaded } from '../media-download.ts';
import type { TwilioSettings } from './sender.ts';

/** Downloads a file of an MMS. Only Twilio gets the account's credentials, whatever the address is. */
export async function downloadTwilioFile(
  egress: Egress,
  { base_url = 'https://api.twilio.com', account_sid, auth_token }: TwilioSettings,
  url: string,
  maxBytes: number,
): Promise<Buffer> {
  const authorization = `Basic ${Buffer.from(`${account_sid}:${auth_token}`).toString('base64')}`;
  return downloaded(egress, url, { maxBytes, headers: isOfTwilio(new URL(url), base_url) ? { authorization } : {} });
}

/** Each region of Twilio has a separate host. */
const isOfTwilio = ({ protocol, hostname, origin }: URL, baseUrl: string): boolean =>
  origin === new URL(baseUrl).origin || (protocol === 'https:' && hostname.endsWith('.twilio.com'));
