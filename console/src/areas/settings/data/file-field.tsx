import { useId } from 'react';
import { MAX_FILE_BYTES } from '../../../api/transfers';
import { shownBytes } from './words';

interface FileFieldProps {
  accept: string;
  /** What the file has to be. */
  hint: string;
  /** Why the server refused it. */
  problem: string | undefined;
}

/** The field `file` of a form. What is wrong with the file is said beside it. */
export const FileField = ({ accept, hint, problem }: FileFieldProps) => {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-xs text-quiet">
        File
      </label>
      <input
        id={id}
        name="file"
        type="file"
        required
        accept={accept}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem === undefined ? `${id}-hint` : `${id}-problem ${id}-hint`}
        onChange={({ target }) => {
          const { size = 0 } = target.files?.[0] ?? {};
          target.setCustomValidity(
            size > MAX_FILE_BYTES
              ? `The file has ${shownBytes(size)}. Up to ${shownBytes(MAX_FILE_BYTES)} are taken at once.`
              : '',
          );
        }}
        className="w-full min-w-0 rounded-md border border-line bg-page p-1 aria-invalid:border-bad-text file:mr-3 file:h-7 file:rounded file:border-0 file:bg-sunken file:px-2.5 file:font-medium file:text-text"
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} role="alert" className="mt-1 text-xs break-words text-bad-text">
          {problem}
        </p>
      )}
      <p id={`${id}-hint`} className="mt-1 text-xs text-quiet">
        {hint}
      </p>
    </div>
  );
};
