import { Context, log } from '@temporalio/activity';
import type {
  FilesProgress,
  InboundEmailRef,
  InboundEmailResult,
  InboundMessageRef,
} from '../src/deliveries/contract.ts';
import { type InboundEmailDeps, receiveInboundEmail } from '../src/deliveries/inbound/emails/service.ts';
import { type InboundFileDeps, receiveInboundFiles } from '../src/deliveries/inbound/files.service.ts';

export type InboundMessageActivityDeps = InboundEmailDeps & InboundFileDeps;

export type InboundMessageActivities = ReturnType<typeof createInboundMessageActivities>;

export const createInboundMessageActivities = ({
  db,
  tokens,
  mailReader,
  storage,
  download,
  authenticator,
  trustedAuthservIds,
}: InboundMessageActivityDeps) => ({
  /** Processes a bounce or a reply. Running it twice does no harm. */
  async receiveInboundEmail(email: InboundEmailRef): Promise<InboundEmailResult> {
    const { attempt } = Context.current().info;
    const deps = { db, tokens, mailReader, storage, authenticator, trustedAuthservIds };
    const result = await receiveInboundEmail(deps, { ...email, attempt });
    if (result === 'unreadable') log.warn('an e-mail could not be read', { ...email });
    return result;
  },
  /** Fetches the files of a message and adds it to its session. Files have derived ids, and the message is added once. */
  receiveInboundFiles(message: InboundMessageRef): Promise<FilesProgress> {
    const { attempt } = Context.current().info;
    return receiveInboundFiles({ db, storage, download }, { ...message, attempt });
  },
});
