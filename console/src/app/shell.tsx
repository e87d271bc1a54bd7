import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { Inbox as InboxIcon, Keyboard, LogOut } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ApiError, api, type Schemas } from '../api/client';
import { meQuery } from '../api/queries';
import { isInField } from '../ui/keys';
import { Avatar, Failure } from '../ui/parts';
import { KeyHelp } from './key-help';
import { SignedOutDialog, SignInPage, useSignedOut } from './sign-in';
import { UndoBar } from './undo';
import { useLive } from './use-live';

/** The frame of all pages: who is signed in, where to go, and whether the page is live. */
export const Shell = () => {
  const me = useQuery(meQuery);
  if (me.error instanceof ApiError && me.error.status === 401 && me.data === undefined) return <SignInPage />;
  if (me.error !== null && me.data === undefined) return <Failure error={me.error} onRetry={() => void me.refetch()} />;
  return me.data === undefined ? null : <SignedIn me={me.data} />;
};

const SignedIn = ({ me }: { me: Schemas['Me'] }) => {
  const isLive = useLive();
  const isSignedOut = useSignedOut();
  const [isHelpShown, showHelp] = useState(false);
  useEffect(() => {
    const theme = me.member?.settings.theme ?? 'system';
    document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
    document.title = `Inbox · ${me.org.name}`;
  }, [me]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === '?' && !isInField(event.target)) showHelp(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <div className="flex h-full flex-col">
      {!isLive && (
        <div role="status" className="bg-warn px-3 py-0.5 text-center text-xs text-warn-text">
          Not live. Trying again
        </div>
      )}
      <div className="flex min-h-0 flex-1">
        <Rail me={me} onHelp={() => showHelp(true)} />
        <main className="flex min-w-0 flex-1">
          <Outlet />
        </main>
      </div>
      <UndoBar />
      {isHelpShown && <KeyHelp onClose={() => showHelp(false)} />}
      {isSignedOut && <SignedOutDialog />}
    </div>
  );
};

const ICON = 'grid size-9 place-items-center rounded-md text-quiet hover:bg-hover hover:text-text';

const Rail = ({ me, onHelp }: { me: Schemas['Me']; onHelp: () => void }) => (
  <nav
    aria-label="Areas"
    className="flex w-12 shrink-0 flex-col items-center gap-1 border-r border-line bg-sunken py-2"
  >
    <Link
      to="/inbox"
      aria-label="Inbox"
      title="Inbox"
      className={`${ICON} bg-selected text-link`}
      activeProps={{ 'aria-current': 'page' }}
    >
      <InboxIcon size={18} />
    </Link>
    <span className="flex-1" />
    <button type="button" className={ICON} aria-label="Keyboard" title="Keyboard (?)" onClick={onHelp}>
      <Keyboard size={18} />
    </button>
    <button type="button" className={ICON} aria-label="Sign out" title="Sign out" onClick={() => void signOut()}>
      <LogOut size={18} />
    </button>
    <span title={`${me.member?.name ?? me.org.name}, ${me.org.name}`} className="mt-1">
      <Avatar name={me.member?.name ?? me.org.name} />
    </span>
  </nav>
);

async function signOut(): Promise<void> {
  await api.POST('/logout');
  window.location.assign('/console');
}
