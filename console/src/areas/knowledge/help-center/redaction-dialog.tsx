import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client';
import { helpFeedbackQuery } from '../../../api/knowledge';
import { say } from '../../../app/undo';
import { AskDialog } from '../../../ui/dialogs/ask-dialog';

interface RedactionProps {
  articleId: string;
  feedbackId: string;
  onClose: () => void;
}

/** Asks why a sentence of a reader is to be removed for good, and removes it. */
export const RedactionDialog = ({ articleId, feedbackId, onClose }: RedactionProps) => {
  const client = useQueryClient();
  const redact = useMutation({
    mutationFn: (reason: string) =>
      dataOf(api.POST('/redaction/feedback', { body: { feedbackId, ...(reason === '' ? {} : { reason }) } })),
    onSuccess: () => say('Redacted'),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: helpFeedbackQuery(articleId).queryKey });
    },
  });
  return (
    <AskDialog
      title="Redact this sentence?"
      text="What the reader wrote is removed for good. Whether it helped stays counted. This cannot be undone."
      field="Why (kept in the audit: no personal data)"
      action="Redact for good"
      onClose={onClose}
      onAnswer={redact.mutateAsync}
    />
  );
};
