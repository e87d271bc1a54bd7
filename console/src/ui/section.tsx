import { type ReactNode, useId } from 'react';

interface SectionProps {
  title: string;
  /** What belongs to the section as a whole. */
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A titled part of a page. */
export const Section = ({ title, actions, children, className = '' }: SectionProps) => {
  const id = useId();
  return (
    <section aria-labelledby={id} className={`rounded-lg border border-line bg-surface ${className}`}>
      <header className="flex min-h-11 flex-wrap items-center gap-2 border-b border-line px-4 py-1.5">
        <h2 id={id} className="flex-1 font-semibold">
          {title}
        </h2>
        {actions}
      </header>
      {children}
    </section>
  );
};
