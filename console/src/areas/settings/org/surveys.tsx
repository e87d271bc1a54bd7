import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type SubmitEvent, useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { orgSettingsQuery, scoresQuery } from '../../../api/settings';
import { SaveBar } from '../../../ui/forms/save-bar';
import { ShowMore } from '../../../ui/lists/show-more';
import { Chip, Empty, failureOf } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';
import { needs } from '../frame/needs';
import { Rows } from '../frame/rows';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';

type Settings = Schemas['OrganizationSettingsAnswer'];
type Survey = NonNullable<Settings['csat_survey']>;
type Channel = Survey['channels'][number];

const CHANNELS: [Channel, string][] = [
  ['email', 'E-mail'],
  ['sms', 'SMS'],
  ['whatsapp', 'WhatsApp'],
];
const USUAL: Survey = { channels: CHANNELS.map(([channel]) => channel), delay_minutes: 5 };

/** Whether customers are asked how satisfied they are, and what they answered. */
export const Surveys = needs('org:read', 'Surveys', () => {
  const settings = useQuery(orgSettingsQuery);
  return (
    <SettingsPage title="Surveys" query={settings}>
      {settings.data !== undefined && <SurveyForm settings={settings.data} />}
      <Scores />
    </SettingsPage>
  );
});

const SurveyForm = ({ settings }: { settings: Settings }) => {
  const mayWrite = useMay('org:write');
  const stored = { csat: settings.csat === true, survey: settings.csat_survey ?? USUAL };
  const [written, write] = useState<Partial<typeof stored>>({});
  const { csat, survey } = { ...stored, ...written };
  const save = useChange(
    (body: Schemas['UpdateOrganizationSettings']) => dataOf(api.PATCH('/org/settings', { body })),
    { stale: [orgSettingsQuery.queryKey], says: 'Saved' },
  );
  const isChanged = csat !== stored.csat || !isSame(survey, stored.survey);
  const change = (changes: Partial<Survey>) => write({ ...written, survey: { ...survey, ...changes } });
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const sent = {
      ...(csat !== stored.csat && { csat }),
      ...(!isSame(survey, stored.survey) && { csat_survey: survey }),
    };
    // What was written meanwhile stays.
    save.mutate(sent, { onSuccess: () => write((now) => (now === written ? {} : now)) });
  };
  return (
    <form onSubmit={onSubmit} className="grid gap-3">
      <Section title="The survey">
        <fieldset disabled={!mayWrite} className="space-y-3 p-4">
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={csat}
              onChange={({ target }) => write({ ...written, csat: target.checked })}
              className="size-4 accent-(--accent)"
            />
            Ask for a score when a conversation is resolved
          </label>
          <p className="text-xs text-quiet">The widget asks at once. On these channels, customers get a link:</p>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            {CHANNELS.map(([channel, name]) => (
              <label key={channel} className="flex items-center gap-2">
                <input
                  type="checkbox"
                  checked={survey.channels.includes(channel)}
                  onChange={({ target }) =>
                    change({
                      channels: target.checked
                        ? [...survey.channels, channel]
                        : survey.channels.filter((other) => other !== channel),
                    })
                  }
                  className="size-4 accent-(--accent)"
                />
                {name}
              </label>
            ))}
            <label className="flex items-center gap-2">
              after
              <input
                type="number"
                required
                min={0}
                max={10_080}
                value={survey.delay_minutes}
                onChange={({ target }) => change({ delay_minutes: target.valueAsNumber || 0 })}
                className="h-8 w-24 rounded-md border border-line bg-page px-2"
              />
              minutes
            </label>
          </div>
        </fieldset>
      </Section>
      <SaveBar
        isChanged={isChanged}
        isSaving={save.isPending}
        problem={save.error?.message}
        onDiscard={() => {
          write({});
          save.reset();
        }}
      />
    </form>
  );
};

/** The order in which channels were chosen means nothing. */
const isSame = (one: Survey, other: Survey): boolean =>
  one.delay_minutes === other.delay_minutes && [...one.channels].sort().join() === [...other.channels].sort().join();

/** The scores of the last 30 days. */
const Scores = () => {
  const list = useInfiniteQuery(scoresQuery);
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section title="Scores of the last 30 days">
      <div className="p-4">
        {failureOf(list)}
        {list.isSuccess && items.length === 0 && <Empty title="No score yet">Customers give 1 to 5.</Empty>}
        {items.length > 0 && (
          <Rows label="Scores" items={items} keyOf={({ id }) => id}>
            {({ score, comment, session_id, channel, created_at }) => (
              <>
                <p className="flex flex-wrap items-center gap-x-2">
                  <Chip tone={score >= 4 ? 'good' : score <= 2 ? 'bad' : 'warn'}>{score} of 5</Chip>
                  <span className="text-xs text-quiet">
                    {channel}, <Ago at={created_at} />
                  </span>
                  <Link to="/s/$id" params={{ id: session_id }} search={{}} className="text-link">
                    Open the conversation
                  </Link>
                </p>
                {comment !== null && <p className="mt-1 break-words">{comment}</p>}
              </>
            )}
          </Rows>
        )}
        <ShowMore query={list} className="mt-3">
          Show later ones
        </ShowMore>
      </div>
    </Section>
  );
};
