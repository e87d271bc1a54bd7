import { useState } from 'react';
import { CopyButton } from '../copy-button';
import { Button } from '../parts';

const SHOWN_CHARACTERS = 10_000;

/** A value as JSON. Of a long one the beginning is shown first, with its length. */
export const JsonView = ({ title, value }: { title: string; value: unknown }) => {
  const [isWhole, showWhole] = useState(false);
  const text = JSON.stringify(value, null, 2) ?? 'null';
  const isCut = !isWhole && text.length > SHOWN_CHARACTERS;
  return (
    <section aria-label={title}>
      <div className="flex h-7 items-center gap-1">
        <h3 className="text-xs font-medium text-quiet">{title}</h3>
        <CopyButton text={text} what={`the ${title.toLowerCase()}`} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {isCut ? text.slice(0, SHOWN_CHARACTERS) : text}
      </pre>
      {isCut && (
        <Button look="quiet" onClick={() => showWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </Button>
      )}
    </section>
  );
};
