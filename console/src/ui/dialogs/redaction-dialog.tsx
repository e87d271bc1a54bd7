import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { say } from '../../app/undo';
import { AskDialog } from './ask-dialog';

interface RedactionProps {
  title: string;
  /** What is lost. */
  text: string;
  redact: (reason: { reason: string }) => Promise<unknown>;
  /** What shows it. */
  queryKey: QueryKey;
  onClose: () => void;
}

/** Asks why something is to be removed for good, and removes it. */
export const RedactionDialog = ({ redact, queryKey, ...dialog }: RedactionProps) => {
  const client = useQueryClient();
  const request = useMutation({
    mutationFn: (reason: string) => redact({ reason }),
    onSuccess: () => say('Redacted'),
    onSettled: () => {
      void client.invalidateQueries({ queryKey });
    },
  });
  return (
    <AskDialog
      {...dialog}
      field="Why (kept in the audit: no personal data)"
      action="Redact for good"
      look="bad"
      isRequired
      onAnswer={request.mutateAsync}
    />
  );
};
