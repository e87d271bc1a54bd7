import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { meQuery } from '../../../api/queries';
import { orgQuery, orgSettingsQuery } from '../../../api/settings';
import { valuesIn } from '../../../ui/forms/spec';
import { SpecForm } from '../../../ui/forms/spec-form';
import { failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { ShortId } from '../../../ui/short-id';
import { needs } from '../frame/needs';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';
import { ORG_SPECS, RULE_GROUPS, rulesIn, shownRules } from './words';

/** The organization itself, and the rules that hold for all of it. */
export const OrganizationPage = needs('org:read', 'Organization', () => {
  const org = useQuery(orgQuery);
  return (
    <SettingsPage title="Organization" query={org}>
      {org.data !== undefined && <OrgForm org={org.data} />}
      <Rules />
    </SettingsPage>
  );
});

const OrgForm = ({ org }: { org: Schemas['Organization'] }) => {
  const mayWrite = useMay('org:write');
  const save = useChange((body: Schemas['UpdateOrganization']) => dataOf(api.PATCH('/org', { body })), {
    stale: [orgQuery.queryKey, meQuery.queryKey],
    says: 'Saved',
  });
  return (
    <Section title="Name and language" actions={<ShortId id={org.id} what="the id of the organization" />}>
      <div className="p-4">
        <SpecForm
          specs={ORG_SPECS}
          stored={org}
          save={save}
          isReadOnly={!mayWrite}
          onSave={(changes, done) =>
            save.mutate(
              valuesIn(ORG_SPECS, changes, {
                isNullable: true,
              }) as Schemas['UpdateOrganization'],
              { onSuccess: done },
            )
          }
        />
      </div>
    </Section>
  );
};

const Rules = () => {
  const settings = useQuery(orgSettingsQuery);
  const failure = failureOf(settings);
  if (settings.data === undefined) return failure || <Skeleton rows={4} />;
  return (
    <>
      {failure}
      {settings.data.warnings.map((warning) => (
        <p key={warning} className="rounded-md bg-warn p-3 break-words text-warn-text">
          {warning}
        </p>
      ))}
      {RULE_GROUPS.map(({ title, specs }) => (
        <RulesForm key={title} title={title} specs={specs} settings={settings.data} />
      ))}
    </>
  );
};

interface RulesFormProps {
  title: string;
  specs: (typeof RULE_GROUPS)[number]['specs'];
  settings: Schemas['OrganizationSettingsAnswer'];
}

const RulesForm = ({ title, specs, settings }: RulesFormProps) => {
  const mayWrite = useMay('org:write');
  const save = useChange(
    (body: Schemas['UpdateOrganizationSettings']) => dataOf(api.PATCH('/org/settings', { body })),
    { stale: [orgSettingsQuery.queryKey, meQuery.queryKey, ['listChatSessionStatuses']], says: 'Saved' },
  );
  return (
    <Section title={title}>
      <div className="p-4">
        <SpecForm
          specs={specs}
          stored={shownRules(settings)}
          save={save}
          isReadOnly={!mayWrite}
          onSave={(changes, done, values) => save.mutate(rulesIn(specs, changes, values), { onSuccess: done })}
        />
      </div>
    </Section>
  );
};
