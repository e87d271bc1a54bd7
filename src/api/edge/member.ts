import { forbidden } from '../../errors.ts';
import type { MemberPrincipal, OrgPrincipal } from '../../keys/verifier.ts';

/** Returns the member who is signed in. Throws forbidden for an API key. */
export function memberOf({ member }: OrgPrincipal): MemberPrincipal {
  if (member === undefined) throw forbidden('Only a member who is signed in can do this, not an API key');
  return member;
}
