import { CopyButton } from './copy-button';

const SHOWN = 6;

/** Returns the end of an id, for use in a text. */
export const endOf = (id: string): string => `…${id.slice(-SHOWN)}`;

/** The end of an id, which is copied whole. */
export const ShortId = ({ id, what = 'the id' }: { id: string; what?: string }) => (
  <span className="inline-flex items-center gap-0.5">
    <code title={id} className="font-mono text-xs text-quiet">
      {id.slice(-SHOWN)}
    </code>
    <CopyButton text={id} what={what} />
  </span>
);
