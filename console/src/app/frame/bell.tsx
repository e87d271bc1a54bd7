import { useQuery } from '@tanstack/react-query';
import { Bell as BellIcon } from 'lucide-react';
import { notificationsQuery } from '../../api/queries';
import { lazily } from '../../ui/lazily';
import { ICON_BUTTON } from '../../ui/parts';
import { Popover } from './popover';

const Notifications = lazily(async () => (await import('./notifications')).Notifications);
const MOST_SHOWN = 99;

/** How much news there is, and the news. */
export const Bell = () => {
  const unread = useQuery(notificationsQuery).data?.unread ?? 0;
  const shown = unread > MOST_SHOWN ? `${MOST_SHOWN}+` : `${unread}`;
  return (
    <>
      <button
        type="button"
        className={ICON_BUTTON}
        popoverTarget="notifications"
        aria-label={unread === 0 ? 'Notifications' : `Notifications, ${shown} unread`}
        title="Notifications"
      >
        <BellIcon size={18} aria-hidden="true" />
        {unread > 0 && (
          <span
            aria-hidden="true"
            className="absolute -top-0.5 -right-0.5 grid h-4 min-w-4 place-items-center rounded-full bg-accent px-1 text-[10px] leading-4 font-semibold text-on-accent"
          >
            {shown}
          </span>
        )}
      </button>
      <Popover id="notifications" label="Notifications">
        {(close) => <Notifications onOpen={close} />}
      </Popover>
    </>
  );
};
