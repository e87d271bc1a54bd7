import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { type AiSettings, settingsQuery } from '../../../api/ai';
import { api, dataOf, type Schemas } from '../../../api/client';
import { say } from '../../../app/undo';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { diffOf, withoutSame } from '../../../ui/diff/diff';
import { DiffView } from '../../../ui/diff/diff-view';
import { FIELD, Field } from '../../../ui/forms/fields';
import { JsonField } from '../../../ui/json/json-field';
import { Button } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { linesOf, SETTING_GROUPS, type SettingField, settingIn, writtenOf } from './fields';

type Draft = AiSettings['draft'];
type Texts = Partial<Record<string, string>>;

/** The draft of the settings. What was changed is shown before it is saved. */
export const DraftForm = ({ settings: { draft }, mayWrite }: { settings: AiSettings; mayWrite: boolean }) => {
  const [texts, setTexts] = useState<Texts>({});
  const [isReviewing, review] = useState(false);
  const fields = SETTING_GROUPS.flatMap((group) => group.fields);
  const read = fields.flatMap((field) => {
    const text = texts[field.name];
    return text === undefined || text === writtenOf(field, draft) ? [] : [{ field, ...settingIn(field, text, draft) }];
  });
  const changes = Object.fromEntries(read.flatMap((one) => ('value' in one ? [[one.field.name, one.value]] : [])));
  const isWrong = read.some((one) => 'problem' in one);
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    review(true);
  };
  return (
    <>
      <form onSubmit={onSubmit} className="grid gap-3">
        {SETTING_GROUPS.map(({ title, fields: ofGroup }) => (
          <Section key={title} title={title}>
            <div className="grid gap-4 p-4 min-[700px]:grid-cols-2">
              {ofGroup.map((field) => (
                <Setting
                  key={field.name}
                  field={field}
                  text={texts[field.name] ?? writtenOf(field, draft)}
                  draft={draft}
                  isReadOnly={!mayWrite}
                  onChange={(text) => setTexts({ ...texts, [field.name]: text })}
                />
              ))}
            </div>
          </Section>
        ))}
        {mayWrite && read.length > 0 && (
          <div className="sticky bottom-0 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface p-3">
            <span role="status" className="flex-1">
              {isWrong ? 'Something is no JSON' : `${read.length} changed, not saved`}
            </span>
            <Button look="quiet" onClick={() => setTexts({})}>
              Discard
            </Button>
            <Button type="submit" look="main" disabled={isWrong}>
              Review the changes
            </Button>
          </div>
        )}
      </form>
      {isReviewing && (
        <Review draft={draft} changes={changes} onSaved={() => setTexts({})} onClose={() => review(false)} />
      )}
    </>
  );
};

interface SettingProps {
  field: SettingField;
  text: string;
  draft: Draft;
  isReadOnly: boolean;
  onChange: (text: string) => void;
}

const Setting = ({ field, text, draft, isReadOnly, onChange }: SettingProps) => {
  const { label, hint } = field;
  if (isReadOnly)
    return (
      <div className="min-w-0">
        <p className="text-xs text-quiet">{label}</p>
        <p className="break-words whitespace-pre-wrap">
          {(field.kind === 'choice' ? field.options.find(([value]) => value === text)?.[1] : text) || '–'}
        </p>
      </div>
    );
  if (field.kind === 'json') {
    const read = settingIn(field, text, draft);
    const problem = 'problem' in read ? read.problem : undefined;
    return (
      <JsonField
        label={label}
        {...(hint !== undefined && { hint })}
        text={text}
        problem={problem}
        onChange={onChange}
      />
    );
  }
  return (
    <div className="min-w-0">
      <Field label={label}>
        {field.kind === 'choice' && (
          <select value={text} onChange={({ target }) => onChange(target.value)} className={FIELD}>
            {field.options.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        )}
        {field.kind === 'number' && (
          <input
            type="number"
            step={field.step}
            min={field.min}
            max={field.max}
            value={text}
            onChange={({ target }) => onChange(target.value)}
            className={FIELD}
          />
        )}
        {field.kind === 'lines' && (
          <textarea
            rows={3}
            value={text}
            onChange={({ target }) => onChange(target.value)}
            className={`${FIELD} h-auto py-1.5`}
          />
        )}
      </Field>
      {hint !== undefined && <p className="mt-1 text-xs text-quiet">{hint}</p>}
    </div>
  );
};

interface ReviewProps {
  draft: Draft;
  changes: Schemas['UpdateAiSettings'];
  onSaved: () => void;
  onClose: () => void;
}

const Review = ({ draft, changes, onSaved, onClose }: ReviewProps) => {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () => dataOf(api.PATCH('/autopilot/settings', { body: changes })),
    onSuccess: (settings) => {
      client.setQueryData(settingsQuery.queryKey, settings);
      onSaved();
      onClose();
      say('The draft is saved');
    },
  });
  const lines = withoutSame(diffOf(linesOf(draft), linesOf({ ...draft, ...changes } as Draft)));
  return (
    <FormDialog
      title="What you changed"
      className="w-[44rem]"
      action="Save the draft"
      request={save}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <DiffView lines={lines} wraps />
      <p className="text-quiet">A draft changes no answer until it is published. Previews and test questions use it.</p>
    </FormDialog>
  );
};
