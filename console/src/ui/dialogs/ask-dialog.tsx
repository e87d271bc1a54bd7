import { useMutation } from '@tanstack/react-query';
import type { ButtonProps } from '../parts';
import { FormDialog } from './form-dialog';

interface AskProps {
  title: string;
  text: string;
  field: string;
  action: string;
  look?: ButtonProps['look'];
  /** Whether nothing is done without a text. */
  isRequired?: boolean;
  /** Does it. If it is refused, the text stays. */
  onAnswer: (text: string) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for a text before something is done. */
export const AskDialog = ({ text, field, isRequired, onAnswer, ...dialog }: AskProps) => {
  const request = useMutation({ mutationFn: (text: string) => onAnswer(text) });
  const onSubmit = (values: FormData) =>
    request.mutate(String(values.get('text')).trim(), { onSuccess: dialog.onClose });
  return (
    <FormDialog {...dialog} request={request} onSubmit={onSubmit}>
      <p className="text-quiet">{text}</p>
      <label className="block">
        <span className="text-xs text-quiet">{field}</span>
        <textarea
          name="text"
          rows={2}
          maxLength={500}
          required={isRequired}
          onInput={({ currentTarget }) =>
            isRequired && currentTarget.setCustomValidity(currentTarget.value.trim() === '' ? 'Write a reason' : '')
          }
          className="mt-1 block w-full rounded-md border border-line bg-page p-2"
        />
      </label>
    </FormDialog>
  );
};
