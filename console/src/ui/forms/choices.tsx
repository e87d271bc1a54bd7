import { Check } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';

export interface Choice {
  id: string;
  label: string;
  hint?: string | undefined;
  isChosen?: boolean | undefined;
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };

/** Choices below a field, where the keyboard chooses: arrows move, Enter and Tab pick. */
export function useChoices(choices: Choice[], onPick: (choice: Choice) => void) {
  const listId = useId();
  const [moved, setMoved] = useState(0);
  const active = Math.min(moved, choices.length - 1);
  /** Returns whether the key was for the choices. */
  const onKey = (event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'preventDefault'>): boolean => {
    const [step, choice] = [STEPS[event.key], choices[active]];
    if (choice === undefined || event.ctrlKey || event.metaKey) return false;
    if (step !== undefined) setMoved((active + step + choices.length) % choices.length);
    else if (event.key === 'Enter' || event.key === 'Tab') onPick(choice);
    else return false;
    event.preventDefault();
    return true;
  };
  const field = {
    'aria-controls': listId,
    'aria-autocomplete': 'list',
    'aria-activedescendant': active >= 0 ? `${listId}-${active}` : undefined,
  } as const;
  return { listId, active, onKey, field, reset: () => setMoved(0) };
}

interface ListProps {
  list: Pick<ReturnType<typeof useChoices>, 'listId' | 'active'>;
  label: string;
  choices: Choice[];
  onPick: (choice: Choice) => void;
}

export const ChoiceList = ({ list: { listId, active }, label, choices, onPick }: ListProps) => {
  useEffect(() => {
    document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: 'nearest' }); // a promise in new browsers
  }, [listId, active]);
  return (
    <div role="listbox" id={listId} aria-label={label} tabIndex={-1} className="max-h-64 overflow-y-auto">
      {choices.map((choice, n) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys
        <div
          key={choice.id}
          id={`${listId}-${n}`}
          role="option"
          tabIndex={-1}
          aria-selected={n === active}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onPick(choice)}
          className="flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 py-1 hover:bg-hover aria-selected:bg-selected"
        >
          <span className="min-w-0 flex-1 truncate">{choice.label}</span>
          {choice.hint !== undefined && <span className="max-w-[50%] truncate text-xs text-quiet">{choice.hint}</span>}
          {choice.isChosen && <Check size={14} aria-label="chosen" className="shrink-0 text-link" />}
        </div>
      ))}
    </div>
  );
};

interface PickerProps {
  label: string;
  /** The choices for the typed text. */
  choicesFor: (text: string) => Choice[];
  onPick: (choice: Choice) => void;
}

/** A field that narrows a list of choices. */
export const Picker = ({ label, choicesFor, onPick }: PickerProps) => {
  const [text, setText] = useState('');
  const choices = choicesFor(text.trim());
  const pick = (choice: Choice) => {
    setText('');
    onPick(choice);
  };
  const list = useChoices(choices, pick);
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: who opened the list wants to choose
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-label={label}
        placeholder={label}
        value={text}
        maxLength={100}
        onChange={({ target }) => {
          setText(target.value);
          list.reset();
        }}
        onKeyDown={(event) => event.key !== 'Tab' && list.onKey(event)}
        {...list.field}
        className="mb-1 h-8 w-full rounded-md border border-line bg-page px-2 placeholder:text-quiet"
      />
      <ChoiceList list={list} label={label} choices={choices} onPick={pick} />
      {choices.length === 0 && <p className="px-2 py-1 text-quiet">Nothing is called that</p>}
    </>
  );
};

/** Returns whether a name has a text in it, in any letter case. */
export const hasText = (name: string, text: string): boolean => name.toLowerCase().includes(text.toLowerCase());
