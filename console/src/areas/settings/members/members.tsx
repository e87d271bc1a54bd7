import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { membersQuery, meQuery, teamsQuery } from '../../../api/queries';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { ActingSelect } from '../../../ui/forms/acting-select';
import { Avatar, Button, Chip } from '../../../ui/parts';
import { Rows } from '../frame/rows';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';
import { InviteDialog } from './invite-dialog';
import { ROLES } from './roles';

type Member = Schemas['Member'];

/** Who works here. */
export const Members = () => {
  const list = useQuery(membersQuery);
  const me = useQuery(meQuery).data?.member;
  const mayWrite = useMay('teams:write');
  const [isInviting, invite] = useState(false);
  const [removed, askToRemove] = useState<Member>();
  const stale = [membersQuery.queryKey, teamsQuery.queryKey, meQuery.queryKey];
  const change = useChange(
    ({ id, ...body }: { id: number } & Schemas['UpdateMember']) =>
      dataOf(api.PATCH('/members/{id}', { params: { path: { id: `${id}` } }, body })),
    { stale, says: 'Saved', isQuick: true },
  );
  const remove = useChange(
    ({ id }: Member) => dataOf(api.DELETE('/members/{id}', { params: { path: { id: `${id}` } } })),
    { stale, says: 'Removed', isQuick: true },
  );
  const again = useChange(({ email }: Member) => dataOf(api.POST('/members', { body: { email } })), {
    stale: [],
    says: ({ email }) => `A link goes to ${email}, if this server sends mail`,
    isQuick: true,
  });
  return (
    <SettingsPage
      title="Members"
      query={list}
      actions={
        mayWrite && (
          <Button look="main" onClick={() => invite(true)}>
            Invite
          </Button>
        )
      }
    >
      {list.data !== undefined && (
        <Rows
          label="Members"
          items={list.data}
          keyOf={({ id }) => `${id}`}
          actions={
            mayWrite &&
            ((member) => (
              <>
                <label className="mr-2 flex h-8 items-center gap-1.5">
                  <input
                    type="checkbox"
                    aria-label={`${member.name} gets conversations`}
                    checked={member.available}
                    onChange={({ target }) => change.mutate({ id: member.id, available: target.checked })}
                    className="size-4 accent-(--accent)"
                  />
                  Gets conversations
                </label>
                <ActingSelect
                  aria-label={`Role of ${member.name}`}
                  value={member.role}
                  options={ROLES}
                  onAct={(role) => change.mutate({ id: member.id, role })}
                  className="h-8 rounded-md border border-line bg-page px-1.5"
                />
                <Button look="quiet" aria-label={`Send a link to ${member.name}`} onClick={() => again.mutate(member)}>
                  Send a link
                </Button>
                <Button look="quiet" aria-label={`Remove ${member.name}`} onClick={() => askToRemove(member)}>
                  Remove
                </Button>
              </>
            ))
          }
        >
          {(member) => <MemberRow member={member} isMe={member.id === me?.id} mayWrite={mayWrite} />}
        </Rows>
      )}
      {isInviting && <InviteDialog onClose={() => invite(false)} />}
      {removed !== undefined && (
        <ConfirmDialog
          title={`Remove ${removed.name}`}
          action="Remove the member"
          onConfirm={() => remove.mutate(removed)}
          onClose={() => askToRemove(undefined)}
        >
          {removed.id === me?.id && 'This is you: you are signed out at once. '}
          They are signed out within a second, and their conversations have no assignee then. Their drafts and private
          views are deleted.
        </ConfirmDialog>
      )}
    </SettingsPage>
  );
};

const MemberRow = ({ member, isMe, mayWrite }: { member: Member; isMe: boolean; mayWrite: boolean }) => (
  <div className="flex items-center gap-3">
    <Avatar name={member.name} />
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-2 font-medium">
        <span className="break-words">{member.name}</span>
        {isMe && <Chip>You</Chip>}
        {!mayWrite && <Chip>{member.role}</Chip>}
        {!member.available && <Chip tone="warn">Gets none</Chip>}
      </p>
      <p className="text-xs break-all text-quiet">{member.email}</p>
    </div>
  </div>
);
