import { Dialog } from './dialog';
import { DialogAnswers } from './dialog-answers';

interface AskProps {
  title: string;
  text: string;
  field: string;
  action: string;
  onAnswer: (text: string) => void;
  onClose: () => void;
}

/** Asks for a text that may stay empty before something is done. */
export const AskDialog = ({ text, field, action, onAnswer, ...dialog }: AskProps) => (
  <Dialog {...dialog}>
    <form
      method="dialog"
      onSubmit={({ currentTarget }) => onAnswer(String(new FormData(currentTarget).get('text')).trim())}
    >
      <p className="mb-3 text-quiet">{text}</p>
      <label className="block">
        <span className="text-xs text-quiet">{field}</span>
        <textarea
          name="text"
          rows={2}
          maxLength={500}
          className="mt-1 block w-full rounded-md border border-line bg-page p-2"
        />
      </label>
      <DialogAnswers action={action} />
    </form>
  </Dialog>
);
