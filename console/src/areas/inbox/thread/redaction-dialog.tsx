import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client';
import { historyQuery } from '../../../api/queries';
import { say } from '../../../app/undo';
import { AskDialog } from '../../../ui/dialogs/ask-dialog';

export interface RedactionProps {
  sessionId: string;
  messageId: string;
}

/** Asks why a message is to be removed for good, and removes it. */
export const RedactionDialog = ({ sessionId, messageId, onClose }: RedactionProps & { onClose: () => void }) => {
  const client = useQueryClient();
  const redact = useMutation({
    mutationFn: (reason: string) =>
      dataOf(api.POST('/redaction/message', { body: { messageId, ...(reason === '' ? {} : { reason }) } })),
    onSuccess: () => say('Redacted'),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: historyQuery(sessionId).queryKey });
    },
  });
  return (
    <AskDialog
      title="Redact this message?"
      text="Its text and files are removed for good, everywhere but in other systems. This cannot be undone."
      field="Why (kept in the audit: no personal data)"
      action="Redact for good"
      onClose={onClose}
      onAnswer={redact.mutateAsync}
    />
  );
};
