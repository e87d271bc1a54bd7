import { useState } from 'react';
import { JsonField, writtenJson } from '../../../../../ui/json/json-field';
import { Button } from '../../../../../ui/parts';
import type { Block } from '../../blocks';
import { innerStepsWithText, type StepText, textOf } from '../step-texts';
import { stepIn } from './step-in-json';

interface JsonProps {
  step: Block;
  onReplace: (step: Block) => void;
  onText: (text: StepText | undefined) => void;
}

/** All of a step as JSON, for what the fields do not show. It follows the step until something is written. */
export const StepJson = ({ step, onReplace, onText }: JsonProps) => {
  const written = textOf(step);
  const isWritten = written !== undefined;
  const [isOpen, setOpen] = useState(isWritten);
  const now = writtenJson(step);
  const text = written?.text ?? now;
  const read = stepIn(text);
  const inner = isWritten ? innerStepsWithText(step).map(({ step: { id } }) => id) : [];
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer text-xs text-quiet hover:text-text">
        The step as JSON{isWritten && ', not taken'}
      </summary>
      {isOpen && (
        <div className="mt-2 space-y-2">
          <JsonField
            label={`Step ${step.id}, as JSON`}
            text={text}
            problem={'problem' in read ? read.problem : undefined}
            onChange={(text) => onText(text === now ? undefined : { text, of: written?.of ?? now })}
          />
          {isWritten && written.of !== now && (
            <p role="status" className="text-xs text-warn-text">
              The step has changed since this was begun. Taking this drops that change.
            </p>
          )}
          {inner.length > 0 && (
            <p role="status" className="text-xs text-warn-text">
              Taking this drops JSON of steps in it that is not taken: {inner.join(', ')}.
            </p>
          )}
          <div className="flex gap-2">
            <Button disabled={!('value' in read)} onClick={() => 'value' in read && onReplace(read.value)}>
              Take this
            </Button>
            {isWritten && (
              <Button look="quiet" onClick={() => onText(undefined)}>
                Drop this
              </Button>
            )}
          </div>
        </div>
      )}
    </details>
  );
};
