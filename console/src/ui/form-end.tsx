import type { ReactNode } from 'react';
import { Button } from './parts';

interface EndProps {
  /** What the form asks for. */
  request: { error: Error | null; isPending: boolean };
  children: ReactNode;
}

/** The end of a form: why it was refused, and the button that sends it. */
export const FormEnd = ({ request: { error, isPending }, children }: EndProps) => (
  <>
    {error !== null && (
      <p role="alert" className="rounded-md bg-bad p-3 text-bad-text">
        {error.message}
      </p>
    )}
    <Button type="submit" look="main" className="h-9 w-full justify-center" disabled={isPending}>
      {children}
    </Button>
  </>
);
