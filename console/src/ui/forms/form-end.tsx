import type { ReactNode } from 'react';
import { type FormRequest, useFormRequest } from '../dialogs/request';
import { Button, type ButtonProps } from '../parts';

interface EndProps {
  request: FormRequest;
  look?: ButtonProps['look'];
  children: ReactNode;
}

/**
 * The end of a form: why it was refused, and the button that sends it. While it is being sent, the button keeps the focus and
 * does nothing.
 */
export const FormEnd = ({ request, look = 'main', children }: EndProps) => {
  const part = useFormRequest(request);
  return (
    <>
      {request.error !== null && (
        <p role="alert" className="rounded-md bg-bad p-3 text-bad-text">
          {request.error.message}
        </p>
      )}
      <Button
        ref={part}
        type="submit"
        onClick={(event) => request.isPending && event.preventDefault()}
        look={look}
        className="h-9 w-full justify-center"
        aria-disabled={request.isPending}
      >
        {children}
      </Button>
    </>
  );
};
