import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** Codes that browsers send for languages whose words are under another code. */
const OTHER_CODES: Record<string, string> = { nb: 'no', nn: 'no', iw: 'he', in: 'id' };

/**
 * Returns the language of a page: what `?lang=` asks for, else the best of Accept-Language (RFC 9110, 12.5.4), else the
 * first of the others. Only languages that are available count. Returns `en` if there is none.
 */
export function pageLanguage(request: FastifyRequest, available: readonly string[], ...others: string[]): string {
  const { lang } = request.query as { lang?: unknown };
  const asked = typeof lang === 'string' ? [lang] : [];
  const codes = [...asked, ...new Negotiator(request).languages(), ...others].map(codeOf);
  return codes.find((code) => available.includes(code)) ?? 'en';
}

/** Returns the code of a tag (BCP 47) without region and script: `de` of `de-AT`. */
function codeOf(tag: string): string {
  const code = tag.toLowerCase().split(/[-_]/)[0] ?? '';
  return OTHER_CODES[code] ?? code;
}
