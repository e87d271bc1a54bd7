import { CopyButton } from '../../../../ui/copy-button';
import type { Path } from '../paths';
import { type Definitions, referencesBefore } from './definitions';
import type { Draft } from './use-draft';

interface ReferencesProps {
  definitions: Definitions;
  draft: Draft;
  path: Path;
}

/** The values available to a step. */
export const References = ({ definitions, draft, path }: ReferencesProps) => (
  <section aria-label="Values to use" className="space-y-1 border-t border-line pt-3">
    <h3 className="text-xs text-quiet">Values that its fields can have, also within a text</h3>
    {referencesBefore(definitions, { trigger_type: draft.trigger_type, blocks: draft.blocks }, path).map(
      ({ name, references }) => (
        <details key={references[0]}>
          <summary className="w-fit cursor-pointer hover:text-text">{name}</summary>
          <ul className="pl-4">
            {references.map((reference) => (
              <li key={reference} className="flex items-center gap-1">
                <code className="min-w-0 truncate font-mono text-xs" title={reference}>
                  {reference}
                </code>
                <CopyButton text={reference} what={reference} />
              </li>
            ))}
          </ul>
        </details>
      ),
    )}
  </section>
);
