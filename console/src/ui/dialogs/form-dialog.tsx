import type { ReactNode, SubmitEvent } from 'react';
import { FormEnd } from '../forms/form-end';
import type { ButtonProps } from '../parts';
import { Dialog } from './dialog';
import type { FormRequest } from './request';

interface FormDialogProps {
  title: string;
  /** What the form does, as its button says it. */
  action: string;
  look?: ButtonProps['look'];
  request: FormRequest;
  /** Gets the values of the fields by their names. */
  onSubmit: (values: FormData) => void;
  onClose: () => void;
  className?: string;
  children: ReactNode;
}

/** A dialog that is one form. */
export const FormDialog = ({
  title,
  action,
  look,
  request,
  onSubmit,
  onClose,
  className,
  children,
}: FormDialogProps) => (
  <Dialog title={title} onClose={onClose} {...(className !== undefined && { className })}>
    <form
      className="space-y-4"
      onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        onSubmit(new FormData(event.currentTarget));
      }}
    >
      {children}
      <FormEnd request={request} look={look}>
        {action}
      </FormEnd>
    </form>
  </Dialog>
);
