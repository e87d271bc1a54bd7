import { useState } from 'react';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog';
import { Button } from '../../../../ui/parts';
import { StateButton } from '../../../../ui/state-button';
import type { Path } from '../paths';
import type { useDraft } from './use-draft';

interface ToolbarProps {
  edited: ReturnType<typeof useDraft>;
  /** The latest version that is stored. None of a new workflow. */
  version: number | undefined;
  problems: number;
  isMade: boolean;
  onSave: () => void;
  onDiscard: () => void;
  /** Opens the JSON of a step. */
  onOpenText: (path: Path) => void;
}

/** The edited version, its unsaved changes, and how to save or discard them. */
export const Toolbar = ({ edited, version, problems, isMade, onSave, onDiscard, onOpenText }: ToolbarProps) => {
  const { base, isChanged, texts, save } = edited;
  const [isDiscardAsked, askDiscard] = useState(false);
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <p role="status" className="min-w-0 flex-1 basis-40 text-quiet">
        {version === undefined ? 'A new workflow' : `You edit version ${base}`}
        {isChanged && ', not saved'}
        {version !== undefined && base !== undefined && version > base && (
          <span className="text-warn-text">{` · Version ${version} was saved meanwhile`}</span>
        )}
        {problems > 0 && (
          <span className="text-bad-text">
            {' · '}
            {problems === 1 ? '1 problem' : `${problems} problems`}
          </span>
        )}
      </p>
      {texts.map(({ step, path }) => (
        <Button key={path.join()} look="quiet" className="max-w-full text-warn-text" onClick={() => onOpenText(path)}>
          <span className="truncate">JSON of {step.name ?? step.id}</span> is not taken
        </Button>
      ))}
      {isChanged && (
        <Button disabled={isMade || save.isPending} onClick={() => askDiscard(true)}>
          Discard the changes
        </Button>
      )}
      {isDiscardAsked && (
        <ConfirmDialog
          title="Discard the changes?"
          action="Discard them"
          onConfirm={onDiscard}
          onClose={() => askDiscard(false)}
        >
          What you changed here is not saved.
        </ConfirmDialog>
      )}
      <StateButton
        look="main"
        forbidden={save.isPending ? 'It is being saved' : whyNotSaved(edited, problems)}
        onClick={onSave}
      >
        {save.isPending ? 'Saving' : version === undefined ? 'Create the workflow' : 'Save as a new version'}
      </StateButton>
    </div>
  );
};

/** A new workflow without a name can be tried: the form then says that it needs one. */
function whyNotSaved({ isChanged, texts, draft }: ToolbarProps['edited'], problems: number): string | false {
  if (problems > 0) return 'It can be saved once its problems are mended';
  if (texts.length > 0) return 'It can be saved once the JSON of its steps is taken or dropped';
  return isChanged || draft.name.trim() === '' ? false : 'Nothing has changed';
}
