import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError, type Schemas } from '../api/client';
import { meQuery, notificationsQuery } from '../api/queries';
import { useKeys } from '../ui/keys';
import { lazily } from '../ui/lazily';
import { Failure } from '../ui/parts';
import { Areas, useArea } from './frame/areas';
import { Banner } from './frame/banner';
import { useSignedOut } from './sign-in-elsewhere';
import { UndoBar } from './undo';
import { useLive } from './use-live';

const KeyHelp = lazily(async () => (await import('./key-help')).KeyHelp);
const Palette = lazily(async () => (await import('./palette')).Palette);
const SignInPage = lazily(async () => (await import('./sign-in')).SignInPage);
const SignedOutDialog = lazily(async () => (await import('./sign-in')).SignedOutDialog);

/** The frame of all pages: the areas, the member's menu, and the state of the live connection. */
export const Shell = () => {
  const me = useQuery(meQuery);
  if (me.data !== undefined) return <SignedIn me={me.data} />;
  if (me.error instanceof ApiError && me.error.status === 401) return <SignInPage />;
  return me.error === null ? null : (
    <main className="grid h-full place-items-center">
      <h1 className="sr-only">Switchboard</h1>
      <Failure error={me.error} onRetry={() => void me.refetch()} />
    </main>
  );
};

const SignedIn = ({ me }: { me: Schemas['Me'] }) => {
  const isLive = useLive();
  const isSignedOut = useSignedOut();
  const [shown, show] = useState<'help' | 'palette'>();
  useLook(me);
  useKeys({ '?': () => show('help'), 'Mod+k': () => show('palette') });
  /** The end of one dialog does not end another that has opened meanwhile. */
  const close = (which: typeof shown) => () => show((now) => (now === which ? undefined : now));
  return (
    <div className="flex h-full flex-col">
      <Banner isLive={isLive} />
      <div className="flex min-h-0 flex-1 flex-col min-[900px]:flex-row">
        <Areas me={me} onHelp={() => show('help')} onPalette={() => show('palette')} />
        <main className="flex min-h-0 min-w-0 flex-1">
          <Outlet />
        </main>
      </div>
      <UndoBar />
      {shown === 'help' && <KeyHelp onClose={close('help')} />}
      {shown === 'palette' && <Palette me={me} onClose={close('palette')} onHelp={() => show('help')} />}
      {isSignedOut && <SignedOutDialog />}
    </div>
  );
};

/** The theme that the member chose, and a title with the number of its news and the area. */
function useLook({ member, org }: Schemas['Me']): void {
  const unread = useQuery({ ...notificationsQuery, enabled: member !== null }).data?.unread ?? 0;
  const theme = member?.settings.theme ?? 'system';
  const area = useArea();
  useEffect(() => {
    document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
  }, [theme]);
  useEffect(() => {
    document.title = [`${unread > 0 ? `(${unread}) ` : ''}${area ?? 'Switchboard'}`, org.name].join(' · ');
  }, [unread, area, org.name]);
}
