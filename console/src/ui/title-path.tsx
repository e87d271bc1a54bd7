import { Link, type LinkProps } from '@tanstack/react-router';

/** The title of a page below another one, with the way back. */
export const TitlePath = ({ above, to, title }: { above: string; to: LinkProps['to']; title: string }) => (
  <span className="flex items-center gap-2">
    <Link to={to} className="shrink-0 text-quiet hover:text-text max-[899px]:hidden">
      {above} /
    </Link>
    <span className="truncate">{title}</span>
  </span>
);
