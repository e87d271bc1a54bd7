import type { ComponentProps } from 'react';
import { Button } from './parts';

interface StateButtonProps extends ComponentProps<typeof Button> {
  /** Why it cannot be done now. It can be reached all the same, so that everybody hears the reason. */
  forbidden?: string | false | undefined;
}

/** A button that a state can forbid. */
export const StateButton = ({ forbidden, onClick, className = '', ...rest }: StateButtonProps) => {
  const isForbidden = typeof forbidden === 'string';
  return (
    <Button
      {...rest}
      aria-disabled={isForbidden || undefined}
      aria-description={isForbidden ? forbidden : undefined}
      title={isForbidden ? forbidden : rest.title}
      onClick={isForbidden ? undefined : onClick}
      className={`aria-disabled:cursor-not-allowed aria-disabled:opacity-50 ${className}`}
    />
  );
};
