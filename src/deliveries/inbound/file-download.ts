import type { Db } from '../../db/connect.ts';
import { ProviderError, tooLarge } from '../../errors.ts';
import { MAX_FILE_BYTES } from '../../media/file-types.rules.ts';
import { findConnection } from '../../orgs/integrations/service.ts';
import { type Egress, EgressError } from '../../providers/egress/egress.ts';
import { downloadMetaFile } from '../../providers/meta/media.ts';
import { downloadTwilioFile } from '../../providers/twilio/media.ts';
import type { Secrets } from '../../secrets.ts';
import type { InboundFile } from './messages.table.ts';

/**
 * Downloads a file of a message from its provider, with the credentials of the org's connection. Throws too large for one
 * beyond the limit of uploads, and a ProviderError, transient if a retry may get the file.
 */
export type FileDownload = (orgId: string, provider: string, file: InboundFile) => Promise<Uint8Array>;

export function createFileDownload(db: Db, { egress, secrets }: { egress: Egress; secrets: Secrets }): FileDownload {
  const download = async (orgId: string, provider: string, source: string) => {
    if (provider === 'twilio') {
      const settings = await findConnection(db, secrets, orgId, 'sms');
      if (settings !== undefined) return downloadTwilioFile(egress, settings, source, MAX_FILE_BYTES);
    }
    if (provider === 'meta') {
      const settings = await findConnection(db, secrets, orgId, 'whatsapp');
      if (settings !== undefined) return downloadMetaFile(egress, settings, source, MAX_FILE_BYTES);
    }
    throw new ProviderError('The provider is not connected any more', { transient: false });
  };
  return (orgId, provider, { source }) =>
    download(orgId, provider, source).catch((error: unknown) => {
      throw error instanceof EgressError && error.problem === 'too_large' ? tooLarge(error.message) : error;
    });
}
