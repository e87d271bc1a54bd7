import type { ReactNode } from 'react';

/** A link to a page of somebody else. */
export const Outward = ({ href, children }: { href: string; children: ReactNode }) => (
  <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-link underline">
    {children}
  </a>
);
