import { shownDistance, shownFully } from './moments';

/** How far a moment is from now, and the moment itself on hover. */
export const Ago = ({ at, className }: { at: string; className?: string }) => (
  <time dateTime={at} title={shownFully(at)} className={`whitespace-nowrap ${className ?? ''}`}>
    {shownDistance(at)}
  </time>
);
