import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { fileProblemOf } from '../../../api/transfers';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { Progress } from '../../../ui/progress';
import { FileField } from './file-field';

interface UploadDialogProps {
  title: string;
  accept: string;
  /** What the file has to be. */
  hint: string;
  upload: Pick<UseMutationResult, 'error' | 'isPending' | 'status' | 'submittedAt' | 'reset'> & {
    /** The sent share of the file, from 0 to 1. */
    share: number;
  };
  onUpload: (file: File) => void;
  onClose: () => void;
  /** What is chosen besides the file, before it and after it. */
  above?: ReactNode;
  children: ReactNode;
}

/** A dialog that uploads a file to be imported. */
export const UploadDialog = ({ upload, hint, accept, onUpload, above, children, ...dialog }: UploadDialogProps) => {
  const problem = fileProblemOf(upload.error);
  return (
    <FormDialog
      {...dialog}
      action="Upload and import"
      request={problem === undefined ? upload : { ...upload, error: null }}
      onSubmit={(values) => {
        const file = values.get('file');
        if (file instanceof File) onUpload(file);
      }}
      className="w-[32rem]"
    >
      <fieldset disabled={upload.isPending} onChange={upload.reset} className="min-w-0 space-y-4">
        {above}
        <FileField accept={accept} hint={hint} problem={problem} />
        {children}
      </fieldset>
      {upload.isPending &&
        (upload.share < 1 ? (
          <Progress says="Uploading the file" done={upload.share} total={1} />
        ) : (
          <Progress says="The server reads the file" done={0} total={undefined} />
        ))}
    </FormDialog>
  );
};
