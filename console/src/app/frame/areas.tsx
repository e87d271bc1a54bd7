import { Link, useMatches, useNavigate } from '@tanstack/react-router';
import { Keyboard, Search } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Schemas } from '../../api/client';
import { useKeys } from '../../ui/keys';
import { ICON_BUTTON } from '../../ui/parts';
import { areasOf } from '../areas';
import { AccountMenu } from './account-menu';
import { Bell } from './bell';
import { Mark } from './mark';

interface AreasProps {
  me: Schemas['Me'];
  onHelp: () => void;
  onPalette: () => void;
}

/** Returns the area of the page that is shown. */
export const useArea = () => useMatches().findLast(({ staticData }) => staticData.area !== undefined)?.staticData.area;

/** The areas and the member's menu: at the left, or at the top of a narrow window. */
export const Areas = ({ me, onHelp, onPalette }: AreasProps) => (
  <nav
    aria-label="Areas"
    className="flex shrink-0 items-center gap-1 border-line bg-sunken px-2 py-1 max-[899px]:border-b min-[900px]:w-18 min-[900px]:flex-col min-[900px]:border-r min-[900px]:py-3"
  >
    <Mark className="mr-2 size-7 shrink-0 max-[479px]:hidden min-[900px]:mr-0 min-[900px]:mb-3" />
    <AreaLinks scopes={me.scopes} />
    <span className="flex-1" />
    <button
      type="button"
      className={ICON_BUTTON}
      aria-label="Go to, search or do"
      aria-keyshortcuts="Control+k"
      title="Go to, search or do (Ctrl K)"
      onClick={onPalette}
    >
      <Search size={18} aria-hidden="true" />
    </button>
    {me.member !== null && <Bell />}
    <button
      type="button"
      className={`${ICON_BUTTON} max-[899px]:hidden`}
      aria-label="Keyboard"
      aria-keyshortcuts="?"
      title="Keyboard (?)"
      onClick={onHelp}
    >
      <Keyboard size={18} aria-hidden="true" />
    </button>
    <AccountMenu me={me} />
  </nav>
);

const AreaLinks = ({ scopes }: { scopes: string[] }) => {
  const navigate = useNavigate();
  const current = useArea();
  const areas = areasOf(scopes);
  const list = useRef<HTMLDivElement>(null);
  useKeys(Object.fromEntries(areas.map(({ key, to }) => [`g ${key}`, () => void navigate({ to })])));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another area comes into view where they scroll
  useEffect(() => {
    void list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <div
      ref={list}
      className="flex min-h-0 min-w-0 gap-1 overflow-auto max-[479px]:gap-0 max-[479px]:fading min-[900px]:flex-col min-[900px]:[scrollbar-width:none]"
    >
      {areas.map(({ name, to, key, Icon }) => (
        <Link
          key={to}
          to={to}
          aria-label={name}
          aria-current={name === current ? 'page' : undefined}
          title={`${name} (G ${key.toUpperCase()})`}
          className={`${ICON_BUTTON} max-[479px]:size-8 min-[900px]:h-auto min-[900px]:min-h-9 min-[900px]:w-16 min-[900px]:gap-0.5 min-[900px]:py-1 aria-[current=page]:bg-selected aria-[current=page]:text-link`}
        >
          <Icon size={18} aria-hidden="true" />
          <span className="hidden text-[10px] leading-3 min-[900px]:[@media(min-height:680px)]:block">{name}</span>
        </Link>
      ))}
    </div>
  );
};
