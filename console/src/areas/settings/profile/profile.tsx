import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { meQuery } from '../../../api/queries';
import { ownSessionsQuery } from '../../../api/settings';
import { type Specs, valuesIn, type Written } from '../../../ui/forms/spec';
import { SpecForm } from '../../../ui/forms/spec-form';
import { Button, Chip, Empty, failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';
import { LANGUAGES } from '../frame/languages';
import { Rows } from '../frame/rows';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';

type Member = NonNullable<Schemas['Me']['member']>;

/** What members hear of. Absent means yes. */
const NOTICES: [string, string][] = [
  ['mention', 'Somebody mentions you'],
  ['assigned', 'A conversation is assigned to you'],
  ['breach', 'A target of your team is missed'],
  ['confirmation', 'The AI waits for a confirmation'],
  ['ended', 'A change of many has ended'],
];

const SPECS: Specs = {
  name: { kind: 'text', label: 'Name', isRequired: true },
  language: { kind: 'choice', label: 'Language of your pages', options: [['', 'The organization’s'], ...LANGUAGES] },
  'settings.signature': {
    kind: 'long',
    label: 'Signature, below your replies by e-mail',
    maxLength: 5_000,
    hint: 'Empty: none.',
  },
  'settings.read_on': {
    kind: 'choice',
    label: 'A conversation counts as read',
    options: [
      ['open', 'Once opened'],
      ['reply', 'Once answered'],
    ],
  },
  'settings.send_key': {
    kind: 'choice',
    label: 'A message is sent by',
    options: [
      ['ctrl_enter', 'Ctrl Enter'],
      ['enter', 'Enter'],
    ],
  },
  ...Object.fromEntries(
    NOTICES.map(([kind, label]) => [`settings.notify.${kind}`, { kind: 'check' as const, label: `Tell me: ${label}` }]),
  ),
};

/** The member's own settings. */
export const Profile = () => {
  const me = useQuery(meQuery);
  const member = me.data?.member;
  return (
    <SettingsPage title="Your profile" query={me}>
      {member === null && <Empty title="Nobody is signed in">An API key has no profile.</Empty>}
      {member != null && (
        <>
          <ProfileForm member={member} />
          <Sessions />
        </>
      )}
    </SettingsPage>
  );
};

const ProfileForm = ({ member }: { member: Member }) => {
  const save = useChange(async (changes: Written) => dataOf(api.PATCH('/me', { body: await profileIn(changes) })), {
    stale: [meQuery.queryKey, ['listMembers']],
    says: 'Saved',
  });
  const notify = Object.fromEntries(NOTICES.map(([kind]) => [kind, member.settings.notify[kind] ?? true]));
  return (
    <Section title={member.email} actions={<Chip>{member.role}</Chip>}>
      <div className="p-4">
        <SpecForm
          specs={SPECS}
          stored={{ ...member, settings: { ...member.settings, notify } }}
          save={save}
          onSave={(changes, done) => save.mutate(changes, { onSuccess: done })}
        />
      </div>
    </Section>
  );
};

/** Returns the changes as the API takes them. A member's notifications are one setting, so its other parts stay. */
async function profileIn(changes: Written): Promise<Schemas['UpdateMe']> {
  const body = valuesIn(SPECS, changes, { isNullable: true }) as Schemas['UpdateMe'];
  if (body.settings?.notify === undefined) return body;
  const { member } = await dataOf(api.GET('/me'));
  return { ...body, settings: { ...body.settings, notify: { ...member?.settings.notify, ...body.settings.notify } } };
}

const Sessions = () => {
  const list = useQuery(ownSessionsQuery);
  const end = useChange((id: string) => dataOf(api.DELETE('/me/sessions/{id}', { params: { path: { id } } })), {
    stale: [ownSessionsQuery.queryKey],
    says: 'Signed out there',
    isQuick: true,
  });
  return (
    <Section title="Where you are signed in">
      <div className="p-4">
        {list.isPending && <Skeleton rows={2} />}
        {failureOf(list)}
        {list.data !== undefined && (
          <Rows
            label="Your sign-ins"
            items={list.data}
            keyOf={({ id }) => id}
            actions={({ id, is_current, created_at }) =>
              !is_current && (
                <Button aria-label={`End it: the sign-in of ${created_at}`} onClick={() => end.mutate(id)}>
                  End it
                </Button>
              )
            }
          >
            {({ created_at, expires_at, is_current }) => (
              <p className="flex flex-wrap items-center gap-2">
                Signed in <Ago at={created_at} />
                {is_current && <Chip tone="good">This one</Chip>}
                <span className="text-xs text-quiet">
                  ends <Ago at={expires_at} /> without use
                </span>
              </p>
            )}
          </Rows>
        )}
      </div>
    </Section>
  );
};
