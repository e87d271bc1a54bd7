import { api, dataOf } from '../../../api/client';
import { helpFeedbackQuery } from '../../../api/knowledge';
import { RedactionDialog } from '../../../ui/dialogs/redaction-dialog';

interface FeedbackRedactionProps {
  articleId: string;
  feedbackId: string;
  onClose: () => void;
}

/** Asks why a sentence of a reader is to be removed for good, and removes it. */
export const FeedbackRedaction = ({ articleId, feedbackId, onClose }: FeedbackRedactionProps) => (
  <RedactionDialog
    title="Redact this sentence?"
    text="What the reader wrote is removed for good. Whether it helped stays counted. This cannot be undone."
    redact={(reason) => dataOf(api.POST('/redaction/feedback', { body: { feedbackId, ...reason } }))}
    queryKey={helpFeedbackQuery(articleId).queryKey}
    onClose={onClose}
  />
);
