import { Link } from '@tanstack/react-router';
import { Inbox, Keyboard, Search } from 'lucide-react';
import type { Schemas } from '../../api/client';
import { ICON_BUTTON } from '../../ui/parts';
import { AccountMenu } from './account-menu';
import { Bell } from './bell';
import { Mark } from './mark';

interface AreasProps {
  me: Schemas['Me'];
  onHelp: () => void;
  onPalette: () => void;
}

/** Where to go, and who is signed in: at the left, and at the top of a narrow window. */
export const Areas = ({ me, onHelp, onPalette }: AreasProps) => (
  <nav
    aria-label="Areas"
    className="flex shrink-0 items-center gap-1 border-line bg-sunken px-2 py-1 max-[899px]:border-b min-[900px]:w-14 min-[900px]:flex-col min-[900px]:border-r min-[900px]:py-3"
  >
    <Mark className="mr-2 size-7 min-[900px]:mr-0 min-[900px]:mb-3" />
    <Link
      to="/inbox"
      aria-label="Inbox"
      title="Inbox"
      className={`${ICON_BUTTON} bg-selected text-link hover:bg-selected hover:text-link`}
      aria-current="page"
    >
      <Inbox size={18} aria-hidden="true" />
    </Link>
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
