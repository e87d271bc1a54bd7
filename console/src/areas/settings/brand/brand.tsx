import { useQuery } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { meQuery } from '../../../api/queries';
import { orgQuery, orgSettingsQuery } from '../../../api/settings';
import { type Specs, type Written, withChanges } from '../../../ui/forms/spec';
import { SpecForm } from '../../../ui/forms/spec-form';
import { Section } from '../../../ui/section';
import { needs } from '../frame/needs';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';
import { Logo } from './logo';

type Brand = NonNullable<Schemas['OrganizationSettingsAnswer']['brand']>;

const SPECS: Specs = {
  'brand.name': { kind: 'text', label: 'Name', maxLength: 100, hint: 'Empty: the name of the organization.' },
  'brand.color': {
    kind: 'text',
    label: 'Colour',
    maxLength: 7,
    placeholder: '#1c4fd8',
    hint: 'Of buttons and links. Links are made darker or lighter until they can be read.',
  },
  'brand.home': {
    kind: 'text',
    type: 'url',
    label: 'Your site',
    maxLength: 2_048,
    placeholder: 'https://example.com',
    hint: 'The name leads there.',
  },
};

/** How customers see the help center, forms, surveys and the page to unsubscribe. */
export const BrandPage = needs('org:read', 'Brand', () => {
  const settings = useQuery(orgSettingsQuery);
  return (
    <SettingsPage title="Brand" query={settings}>
      {settings.data !== undefined && <BrandSections brand={settings.data.brand ?? {}} />}
    </SettingsPage>
  );
});

const withWords = (brand: Brand, changes: Written): Brand =>
  (withChanges(SPECS, { brand }, changes).brand ?? {}) as Brand;

/** Changes what is stored of the brand. Each form has a separate request, so a refusal is said beside it alone. */
const useBrandChange = () =>
  useChange(
    async (change: (now: Brand) => Brand) => {
      // It is stored as a whole: what others have saved meanwhile stays.
      const now = await dataOf(api.GET('/org/settings'));
      const changed = change(now.brand ?? {});
      const isEmpty = Object.values(changed).every((value) => value === undefined);
      return dataOf(api.PATCH('/org/settings', { body: { brand: isEmpty ? null : changed } }));
    },
    { stale: [orgSettingsQuery.queryKey, meQuery.queryKey], says: 'Saved' },
  );

const BrandSections = ({ brand }: { brand: Brand }) => {
  const mayWrite = useMay('org:write');
  const org = useQuery(orgQuery).data;
  const save = useBrandChange();
  const saveLogo = useBrandChange();
  const { logo, ...words } = brand;
  return (
    <>
      <Section
        title="Name and colour"
        actions={
          org !== undefined && (
            <a href={`/help/${org.id}`} target="_blank" rel="noopener noreferrer" className="text-link hover:underline">
              Open the help center
            </a>
          )
        }
      >
        <div className="space-y-4 p-4">
          <SpecForm
            specs={SPECS}
            stored={{ brand: words }}
            save={save}
            isReadOnly={!mayWrite}
            onSave={(changes, done) => save.mutate((now) => withWords(now, changes), { onSuccess: done })}
          />
          {words.color !== undefined && <Sample color={words.color} />}
        </div>
      </Section>
      <Section title="Logo">
        <Logo
          logo={logo}
          mayWrite={mayWrite}
          onChange={async (changed) => {
            await saveLogo.mutateAsync(({ logo: _, ...now }) =>
              changed === undefined ? now : { ...now, logo: changed },
            );
          }}
        />
      </Section>
    </>
  );
};

/** The colour as buttons have it, with the text that the pages compute. */
const Sample = ({ color }: { color: string }) => (
  <p className="flex items-center gap-2 text-xs text-quiet">
    <span aria-hidden="true" className="inline-block size-5 rounded border border-line" style={{ background: color }} />
    {color}: buttons have black or white text on it, whichever is easier to read.
  </p>
);
