import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { say } from '../../../app/undo';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { FIELD, Field } from '../../../ui/forms/fields';
import { linesOf } from '../../../ui/forms/spec';
import { JsonField, objectIn, writtenJson } from '../../../ui/json/json-field';
import { isSame } from '../../../ui/same';

type Case = Schemas['EvalCase'];
type Checks = Schemas['EvalCaseChecks'];

const ENDS: [NonNullable<Checks['ends']>, string][] = [
  ['answered', 'It answers'],
  ['asked', 'It asks back'],
  ['handed_off', 'It hands off to a person'],
  ['skipped', 'It says nothing'],
];

type Body = Pick<Case, 'name' | 'messages' | 'checks'>;

/** Returns what differs from a case. The order of checks means nothing. */
function changesOf(existing: Case, body: Body): Partial<Body> {
  const isChanged = ([name, value]: [string, unknown]) => !isSame(value, existing[name as keyof Body]);
  return Object.fromEntries(Object.entries(body).filter(isChanged));
}

/** A case: the customer's text and the expected outcome. The other checks are written as JSON. */
export const CaseDialog = ({ existing, onClose }: { existing: Case | undefined; onClose: () => void }) => {
  const client = useQueryClient();
  const { ends: _, contains: __, not_contains: ___, ...others } = existing?.checks ?? {};
  const [more, setMore] = useState(writtenJson(others));
  const read = objectIn(more);
  const save = useMutation({
    mutationFn: (body: Body) =>
      existing === undefined
        ? dataOf(api.POST('/autopilot/evals', { body }))
        : dataOf(
            api.PATCH('/autopilot/evals/{id}', {
              params: { path: { id: existing.id } },
              body: changesOf(existing, body),
            }),
          ),
    onSuccess: () => {
      say('Saved');
      void client.invalidateQueries({ queryKey: ['listEvalCases'] });
    },
  });
  const onSubmit = (form: FormData) => {
    if ('problem' in read) return;
    const ends = ENDS.find(([value]) => value === form.get('ends'))?.[0];
    const [contains, not_contains] = [linesOf(String(form.get('contains'))), linesOf(String(form.get('not_contains')))];
    const body: Body = {
      name: String(form.get('name')).trim(),
      messages: [
        ...(existing?.messages.slice(0, -1) ?? []),
        { sender: 'contact', text: String(form.get('text')).trim() },
      ],
      checks: {
        ...(read.value as Checks),
        ...(ends !== undefined && { ends }),
        ...(contains.length > 0 && { contains }),
        ...(not_contains.length > 0 && { not_contains }),
      },
    };
    save.mutate(body, { onSuccess: onClose });
  };
  const before = existing?.messages.slice(0, -1) ?? [];
  return (
    <FormDialog
      title={existing === undefined ? 'Add a case' : 'Edit the case'}
      className="w-[34rem]"
      action="Save"
      request={save}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Field label="Name">
        <input name="name" required maxLength={255} defaultValue={existing?.name} className={FIELD} />
      </Field>
      {before.length > 0 && <p className="text-xs text-quiet">{before.length} messages come before it.</p>}
      <Field label="What the customer writes">
        <textarea
          name="text"
          required
          rows={3}
          defaultValue={existing?.messages.at(-1)?.text}
          className={`${FIELD} h-auto py-1.5`}
        />
      </Field>
      <Field label="What must come of it">
        <select name="ends" defaultValue={existing?.checks.ends ?? ''} className={FIELD}>
          <option value="">Anything</option>
          {ENDS.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field label="What it must say, one a line">
        <textarea
          name="contains"
          rows={2}
          defaultValue={existing?.checks.contains?.join('\n')}
          className={`${FIELD} h-auto py-1.5`}
        />
      </Field>
      <Field label="What it must not say, one a line">
        <textarea
          name="not_contains"
          rows={2}
          defaultValue={existing?.checks.not_contains?.join('\n')}
          className={`${FIELD} h-auto py-1.5`}
        />
      </Field>
      <JsonField
        label="Other checks"
        hint="cites, calls, reason, max_cost, max_ms"
        text={more}
        problem={'problem' in read ? read.problem : undefined}
        onChange={setMore}
      />
    </FormDialog>
  );
};
