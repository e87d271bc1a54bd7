import type { Db } from '../../db/connect.ts';
import { ProviderError, tooLarge } from '../../errors.ts';
import { MAX_FILE_BYTES } from '../../media/file-types.rules.ts';
import { findConnection } from '../../orgs/integrations/service.ts';
import { type Egress, EgressError } from '../../providers/egress/egress.ts';
import { downloaded } from '../../providers/media-download.ts';
import { downloadMetaFile } from '../../providers/meta/media.ts';
import { downloadSlackFile } from '../../providers/slack/media.ts';
import { downloadTwilioFile } from '../../providers/twilio/media.ts';
import type { Secrets } from '../../secrets.ts';
import type { Channel } from '../contract.ts';
import type { InboundFile } from './messages.table.ts';

/**
 * Downloads a file of a message from its channel's provider, with the credentials of the org's connection. Throws too large
 * for one beyond the limit of uploads, and a ProviderError, transient if a retry may get the file.
 */
export type FileDownload = (orgId: string, channel: Channel, file: InboundFile) => Promise<Uint8Array>;

export function createFileDownload(db: Db, { egress, secrets }: { egress: Egress; secrets: Secrets }): FileDownload {
  const download = async (orgId: string, channel: Channel, source: string): Promise<Uint8Array> => {
    switch (channel) {
      case 'sms': {
        const settings = await findConnection(db, secrets, orgId, channel);
        if (settings === undefined) break;
        return downloadTwilioFile(egress, settings, source, MAX_FILE_BYTES);
      }
      case 'whatsapp': {
        const settings = await findConnection(db, secrets, orgId, channel);
        if (settings === undefined) break;
        return downloadMetaFile(egress, settings, source, MAX_FILE_BYTES);
      }
      case 'slack': {
        const settings = await findConnection(db, secrets, orgId, channel);
        if (settings === undefined) break;
        return downloadSlackFile(egress, settings, source, MAX_FILE_BYTES);
      }
      case 'messenger':
      case 'instagram': // the address is signed, and asks for no credentials
        return downloaded(egress, source, { maxBytes: MAX_FILE_BYTES });
      case 'email':
      case 'voice': // have their files with them, or none
    }
    throw new ProviderError('The provider is not connected any more', { transient: false });
  };
  return (orgId, channel, { source }) =>
    download(orgId, channel, source).catch((error: unknown) => {
      throw error instanceof EgressError && error.problem === 'too_large' ? tooLarge(error.message) : error;
    });
}
