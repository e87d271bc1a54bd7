import type { Schemas } from '../../api/client';
import { lazily } from '../../ui/lazily';
import { Avatar } from '../../ui/parts';
import { Popover } from './popover';

const Account = lazily(async () => (await import('./account')).Account);

/** The member and the org of the session, and the look of the console. */
export const AccountMenu = ({ me }: { me: Schemas['Me'] }) => {
  const name = me.member?.name ?? me.org.name;
  return (
    <>
      <button
        type="button"
        popoverTarget="account"
        aria-label={`Account of ${name}, ${me.org.name}`}
        title={`${name}, ${me.org.name}`}
        className="grid size-9 shrink-0 place-items-center rounded-full hover:bg-hover"
      >
        <Avatar name={name} />
      </button>
      <Popover id="account" label="Account">
        {() => <Account me={me} />}
      </Popover>
    </>
  );
};
