import type { HeaderLines } from 'mailparser';

const MAX_FIELD_CHARACTERS = 4_000;

/** What the header of an e-mail says of its authenticity. */
export interface AuthenticationFields {
  /** The uppermost Authentication-Results (RFC 8601): the last server on its way has written it. */
  results: string | undefined;
  /** How many signatures there are, and whether one covers a part of the body only. */
  signatures: number;
  isPartlySigned: boolean;
}

export function authenticationFieldsOf(lines: HeaderLines): AuthenticationFields {
  const valuesOf = (field: string) =>
    lines.filter(({ key }) => key === field).map(({ line }) => line.slice(field.length + 1, MAX_FIELD_CHARACTERS));
  const signatures = valuesOf('dkim-signature');
  return {
    results: valuesOf('authentication-results')[0],
    signatures: signatures.length,
    isPartlySigned: signatures.some((signature) => /(?:^|;)\s*l\s*=/.test(signature)),
  };
}

/**
 * Returns what a trusted server has found out about the domain of From. Undefined if no such server has written, or if it
 * says nothing of DMARC.
 */
export function trustedResult(
  { results = '', isPartlySigned }: AuthenticationFields,
  { trusted, domain }: { trusted: readonly string[]; domain: string },
): 'pass' | 'fail' | undefined {
  const [server = '', ...methods] = withoutComments(results).split(';');
  if (isPartlySigned || !trusted.includes(server.trim().split(/\s/)[0]?.toLowerCase() ?? '')) return undefined;
  const dmarc = methods.map((method) => method.trim().toLowerCase()).find((method) => method.startsWith('dmarc='));
  const [, result] = /^dmarc=(pass|fail)\b/.exec(dmarc ?? '') ?? [];
  const [, from = domain] = /\bheader\.from=([^\s;]+)/.exec(dmarc ?? '') ?? [];
  return from === domain ? (result as 'pass' | 'fail' | undefined) : undefined;
}

/** Texts in quotation marks and comments are of the sender: they may repeat what a server writes. */
const withoutComments = (field: string): string => field.replaceAll(/"[^"]*"|\([^()]*\)/g, ' ');
