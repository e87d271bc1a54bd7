/** The sign of Switchboard. */
export const Mark = ({ className }: { className: string }) => (
  <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
    <rect width="32" height="32" rx="9" fill="var(--accent)" />
    <g fill="none" stroke="var(--on-accent)" strokeWidth="2.5" strokeLinecap="round">
      <path d="M10 11h4c4 0 4 10 8 10" />
      <path d="M10 21h3" />
      <path d="M19 11h3" />
    </g>
  </svg>
);
