import { Button } from '../parts';

/** The answers to what a dialog asks: to do it, by its form, or not. */
export const DialogAnswers = ({ action }: { action: string }) => (
  <div className="mt-4 flex justify-end gap-2">
    <Button look="quiet" onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}>
      Cancel
    </Button>
    <Button type="submit" look="main">
      {action}
    </Button>
  </div>
);
