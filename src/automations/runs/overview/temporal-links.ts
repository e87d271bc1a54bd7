import type { Config } from '../../../config.ts';
import type { OrgPrincipal } from '../../../keys/verifier.ts';

/** Returns the address of the namespace in the Temporal UI for callers with full access, if the operator has set one. */
export const temporalUiFor = (
  { scopes }: Pick<OrgPrincipal, 'scopes'>,
  { TEMPORAL_UI_URL: url, TEMPORAL_NAMESPACE: namespace }: Pick<Config, 'TEMPORAL_UI_URL' | 'TEMPORAL_NAMESPACE'>,
): string | undefined =>
  scopes === null && url !== undefined ? `${url}/namespaces/${encodeURIComponent(namespace)}` : undefined;
