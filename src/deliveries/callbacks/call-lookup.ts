import type { Db } from '../../db/connect.ts';
import { findConnection } from '../../orgs/integrations/service.ts';
import type { HttpClient } from '../../providers/egress/egress.ts';
import type { CallbackContent } from '../../providers/sending.ts';
import { findEndOfCall, reportOfLostCall } from '../../providers/vapi/call-lookup.ts';
import type { Secrets } from '../../secrets.ts';

/** How calls are ended whose report has not come. */
export interface CallLookup {
  /**
   * Asks the org's voice platform for a call. Undefined: it does not know the call, or is not connected any more. Throws
   * ProviderErrors.
   */
  find(orgId: string, providerId: string): Promise<CallbackContent | 'under way' | undefined>;
  /** Returns the report of a call that no platform can tell of. */
  reportOfLost(providerId: string): CallbackContent;
}

export const createCallLookup = (
  db: Db,
  { secrets, egress }: { secrets: Secrets; egress: HttpClient },
): CallLookup => ({
  async find(orgId, providerId) {
    const settings = await findConnection(db, secrets, orgId, 'voice');
    return settings && findEndOfCall(egress, settings, providerId);
  },
  reportOfLost: reportOfLostCall,
});
