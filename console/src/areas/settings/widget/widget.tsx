import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { officeHoursQuery, widgetQuery } from '../../../api/settings';
import { restOf } from '../../../ui/forms/problems';
import { SaveBar } from '../../../ui/forms/save-bar';
import { type Specs, valuesIn, type Written, writtenOf } from '../../../ui/forms/spec';
import { SpecFields } from '../../../ui/forms/spec-form';
import { useForm } from '../../../ui/forms/use-form';
import { Section } from '../../../ui/section';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';
import { Preview } from './preview';
import { Snippet } from './snippet';
import { WIDGET_SPECS } from './words';

type Settings = Schemas['WidgetSettings'];

/** How the chat on the organization's website looks, with a preview. */
export const WidgetPage = () => {
  const settings = useQuery(widgetQuery);
  return (
    <SettingsPage title="Chat widget" query={settings}>
      {settings.data !== undefined && <WidgetForm settings={settings.data} />}
    </SettingsPage>
  );
};

const WidgetForm = ({ settings }: { settings: Settings }) => {
  const mayWrite = useMay('widget:write');
  const hours = useQuery(officeHoursQuery).data ?? [];
  const [isOpen, setOpen] = useState(true);
  const specs: Specs = {
    ...WIDGET_SPECS,
    office_hours_id: {
      kind: 'choice',
      label: 'Office hours',
      hint: 'Outside of them the widget says when people answer next.',
      options: [['', 'None'], ...hours.map(({ id, name }) => [id, name] as const)],
    },
  };
  const form = useForm(writtenOf(specs, settings));
  const save = useChange(
    async (changes: Written) => {
      // They are stored as a whole: what others have saved meanwhile stays.
      const now = await dataOf(api.GET('/widget/settings'));
      const body = widgetIn(valuesIn(specs, { ...writtenOf(specs, now), ...changes }));
      return dataOf(api.PUT('/widget/settings', { body }));
    },
    { stale: [widgetQuery.queryKey], says: 'Saved. Pages show it within five minutes' },
  );
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const sent = form.values;
    save.mutate(form.changes, { onSuccess: () => form.settle(sent) });
  };
  return (
    <div className="grid items-start gap-3 min-[1100px]:grid-cols-[minmax(0,1fr)_21rem]">
      <form onSubmit={onSubmit} className="grid min-w-0 gap-3">
        <Section title="Settings">
          <div className="grid gap-4 p-4 min-[700px]:grid-cols-2">
            <SpecFields specs={specs} form={form} error={save.error} isReadOnly={!mayWrite} />
          </div>
        </Section>
        <SaveBar
          isChanged={form.isChanged}
          isSaving={save.isPending}
          problem={restOf(save.error, Object.keys(specs))}
          onDiscard={() => {
            form.discard();
            save.reset();
          }}
        />
        <Snippet />
      </form>
      <Section
        title="Preview"
        className="min-[1100px]:sticky min-[1100px]:top-0"
        actions={
          <button type="button" className="text-xs text-link" onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Show it closed' : 'Show it open'}
          </button>
        }
      >
        <Preview values={form.values} isOpen={isOpen} />
      </Section>
    </div>
  );
};

/** Empty lists of languages and pages mean no limit, and what else is empty has its default. */
function widgetIn(values: Record<string, unknown>): Schemas['WidgetSettingsFields'] {
  const { languages, allowed_origins, ...others } = values;
  const listed = (list: unknown) => (Array.isArray(list) && list.length > 0 ? list : null);
  return { ...others, languages: listed(languages), allowed_origins: listed(allowed_origins) };
}
