import { Button } from '../../../../ui/parts';
import { type Definitions, kindsOf, plainOf } from './definitions';

interface KindsProps {
  definitions: Definitions;
  onChoose: (type: string) => void;
  onLeave: () => void;
}

/** What a new step can be. */
export const Kinds = ({ definitions, onChoose, onLeave }: KindsProps) => (
  <>
    <header className="flex items-center">
      <h2 className="flex-1 font-semibold">What comes here?</h2>
      <Button look="quiet" onClick={onLeave}>
        Cancel
      </Button>
    </header>
    <ul aria-label="Kinds of steps" className="space-y-1">
      {kindsOf(definitions).map(({ type, title, description }) => (
        <li key={type}>
          <button
            type="button"
            onClick={() => onChoose(type)}
            className="block w-full rounded-md border border-line px-3 py-2 text-left hover:bg-hover"
          >
            <span className="block font-medium">{title}</span>
            <span className="block text-xs text-quiet">{firstSentenceOf(plainOf(description))}</span>
          </button>
        </li>
      ))}
    </ul>
  </>
);

const firstSentenceOf = (text: string): string => /^.*?[.:](?= |$)/.exec(text)?.[0] ?? text;
