import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, LogOut } from 'lucide-react';
import { api, dataOf, type Schemas } from '../../api/client';
import { meQuery, ownOrgsQuery } from '../../api/queries';
import { Avatar } from '../../ui/parts';
import { say } from '../undo';
import { signOut, switchOrg, THEMES } from './session';

type Me = Schemas['Me'];

const HEADING = 'px-4 pt-3 pb-1 text-xs font-semibold text-quiet';

/** The member's own settings and orgs, and the way out. */
export const Account = ({ me }: { me: Me }) => (
  <div className="overflow-y-auto pb-2">
    <div className="flex items-center gap-3 border-b border-line px-4 py-3">
      <Avatar name={me.member?.name ?? me.org.name} />
      <p className="min-w-0">
        <span className="block truncate font-semibold">{me.member?.name}</span>
        <span className="block truncate text-xs text-quiet">
          {me.member?.email} · {me.member?.role}
        </span>
      </p>
    </div>
    {me.member !== null && <Preferences member={me.member} />}
    <h2 className={HEADING}>Organization</h2>
    <Orgs me={me} />
    <div className="mt-2 border-t border-line pt-2">
      <button type="button" className={ROW} onClick={() => void signOut()}>
        <LogOut size={15} aria-hidden="true" className="text-quiet" />
        Sign out
      </button>
    </div>
  </div>
);

const ROW = 'flex h-9 w-full items-center gap-2.5 px-4 text-left hover:bg-hover disabled:hover:bg-transparent';

const Preferences = ({ member }: { member: NonNullable<Me['member']> }) => {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (body: Schemas['UpdateMe']) => dataOf(api.PATCH('/me', { body })),
    onSuccess: (me) => client.setQueryData(meQuery.queryKey, me),
    onError: (error) => say(error.message, { isError: true }),
  });
  return (
    <>
      {member.role !== 'viewer' && (
        <label className={`${ROW} mt-2`}>
          <input
            type="checkbox"
            className="size-4 accent-(--accent)"
            checked={member.available}
            onChange={({ target }) => change.mutate({ available: target.checked })}
          />
          Get conversations assigned
        </label>
      )}
      <h2 id="theme" className={HEADING}>
        Theme
      </h2>
      <fieldset aria-labelledby="theme" className="mx-4 grid grid-cols-3 gap-0.5 rounded-md bg-sunken p-0.5">
        {THEMES.map(({ theme, name }) => (
          <button
            key={theme}
            type="button"
            aria-pressed={member.settings.theme === theme}
            onClick={() => change.mutate({ settings: { theme } })}
            className="h-7 rounded text-quiet hover:text-text aria-pressed:bg-surface aria-pressed:font-medium aria-pressed:text-text aria-pressed:shadow-sm"
          >
            {name}
          </button>
        ))}
      </fieldset>
    </>
  );
};

const Orgs = ({ me }: { me: Me }) => {
  const orgs = useQuery({ ...ownOrgsQuery, enabled: me.orgs > 1 }).data?.items;
  const listed = orgs ?? [{ ...me.org, role: me.member?.role, is_current: true }];
  return (
    <ul>
      {listed.map(({ id, name, role, is_current }) => (
        <li key={id}>
          <button
            type="button"
            className={ROW}
            aria-current={is_current ? 'true' : undefined}
            disabled={is_current}
            onClick={() => void switchOrg(id)}
          >
            <span className="min-w-0 flex-1 truncate">{name}</span>
            <span className="text-xs text-quiet">{role}</span>
            {is_current && <Check size={15} aria-hidden="true" />}
          </button>
        </li>
      ))}
    </ul>
  );
};
