import { api, dataOf } from '../../../api/client';
import { historyQuery } from '../../../api/queries';
import { RedactionDialog } from '../../../ui/dialogs/redaction-dialog';

export interface RedactionProps {
  sessionId: string;
  messageId: string;
}

/** Asks why a message is to be removed for good, and removes it. */
export const MessageRedaction = ({ sessionId, messageId, onClose }: RedactionProps & { onClose: () => void }) => (
  <RedactionDialog
    title="Redact this message?"
    text="Its text and files are removed for good, everywhere but in other systems. This cannot be undone."
    redact={(reason) => dataOf(api.POST('/redaction/message', { body: { messageId, ...reason } }))}
    queryKey={historyQuery(sessionId).queryKey}
    onClose={onClose}
  />
);
