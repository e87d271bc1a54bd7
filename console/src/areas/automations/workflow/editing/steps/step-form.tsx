import { FIELD, Field } from '../../../../../ui/forms/fields';
import type { Block } from '../../blocks';
import { type Definitions, plainOf, type Schema } from '../definitions';
import type { StepText } from '../step-texts';
import { ActionInput } from './action-input';
import { BlockInputs } from './block-inputs';
import { Failing } from './failing';
import { StepJson } from './step-json';

interface StepProps {
  step: Block;
  definitions: Definitions;
  /** What the API says is wrong with it: input.url: is missing. */
  problems: string[];
  onChange: (step: Block) => void;
  /** Gets a step that was written as a whole. */
  onReplace: (step: Block) => void;
  /** Gets what is written of it as JSON, until it is taken or dropped. */
  onText: (text: StepText | undefined) => void;
}

/** The form of a step: its name, its input, and its handling of failures. */
export const StepForm = ({ step, definitions, problems, onChange, onReplace, onText }: StepProps) => {
  const action = definitions.actions.find(({ type }) => type === step.type);
  const kind = action ?? definitions.blocks.find(({ type }) => type === step.type);
  const change = (changes: Partial<Block>) => onChange({ ...step, ...changes });
  return (
    <div className="space-y-4">
      <p className="text-xs text-quiet">{plainOf(kind?.description ?? '')}</p>
      {step.$kind === 'Action' && (
        <Field label="Name">
          <input
            value={step.name ?? ''}
            maxLength={255}
            onChange={({ target }) => change({ name: target.value })}
            className={FIELD}
          />
        </Field>
      )}
      <Field label="Id, by which later steps name its output">
        <input
          value={step.id}
          maxLength={100}
          spellCheck={false}
          onChange={({ target }) => change({ id: target.value })}
          className={`${FIELD} font-mono text-xs`}
        />
      </Field>
      {action !== undefined && (
        <ActionInput step={step} schema={action.input as Schema} problems={problems} onChange={change} />
      )}
      {step.$kind === 'Block' && (
        <BlockInputs step={step} definitions={definitions} problems={problems} onChange={change} />
      )}
      {step.$kind === 'Action' && <Failing step={step} onChange={change} />}
      <StepJson step={step} onReplace={onReplace} onText={onText} />
    </div>
  );
};
