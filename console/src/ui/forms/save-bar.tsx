import { Button } from '../parts';
import { UnsavedGuard } from './guard';

interface SaveBarProps {
  isChanged: boolean;
  /** Whether it can be saved as it is. */
  isNew?: boolean;
  isSaving: boolean;
  /** The parts of the API's error that no field shows. */
  problem: string | undefined;
  onDiscard: () => void;
  action?: string | undefined;
}

/** The end of a form on a page: there as long as something is not saved, which leaving the page would lose. */
export const SaveBar = ({ isChanged, isNew = false, isSaving, problem, onDiscard, action = 'Save' }: SaveBarProps) => (
  <>
    <UnsavedGuard isChanged={isChanged} />
    {problem !== undefined && (
      <p role="alert" className="rounded-md bg-bad p-3 text-bad-text">
        {problem}
      </p>
    )}
    {(isChanged || isNew) && (
      <div className="sticky bottom-0 z-1 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface p-3 shadow-sm">
        <span role="status" className="flex-1">
          {isChanged && 'Not saved'}
        </span>
        {isChanged && (
          <Button look="quiet" onClick={onDiscard}>
            Discard
          </Button>
        )}
        <Button type="submit" look="main" disabled={isSaving}>
          {action}
        </Button>
      </div>
    )}
  </>
);
