import { useState } from 'react';
import { ConfirmDialog } from '../../../../../ui/dialogs/confirm-dialog';
import { Button } from '../../../../../ui/parts';
import type { Schema } from '../definitions';
import { problemAt } from '../problems';
import { ValueField } from '../value-field';
import type { PartProps } from './part';

const CONSTANT: Schema = { anyOf: [], description: 'A text or a number' };

interface Case {
  equals: unknown;
  steps: unknown;
}

/** The cases of a switch. */
export const Cases = ({ step, problems, onChange }: PartProps) => {
  const { branches = {} } = step;
  const cases = (Array.isArray(branches.cases) ? branches.cases : []) as Case[];
  const [asked, ask] = useState<number>();
  const change = (next: Case[]) => onChange({ branches: { ...branches, cases: next } });
  const remove = (n: number) => change(cases.toSpliced(n, 1));
  const hasSteps = ({ steps }: Case) => Array.isArray(steps) && steps.length > 0;
  return (
    <fieldset className="space-y-3">
      <legend className="mb-1 text-xs text-quiet">Cases, in their order</legend>
      {cases.map((one, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two cases may have the same value while they are written
        <div key={n} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <ValueField
              label={`Case ${n + 1}: equal to`}
              schema={CONSTANT}
              isRequired
              value={one.equals}
              problem={problemAt(problems, `branches.cases.${n}`)}
              onChange={(equals) => change(cases.with(n, { ...one, equals }))}
            />
          </div>
          <Button
            look="quiet"
            className="mt-5"
            aria-label={`Remove case ${n + 1}`}
            disabled={cases.length === 1}
            onClick={() => (hasSteps(one) ? ask(n) : remove(n))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button onClick={() => change([...cases, { equals: '', steps: [] }])}>Add a case</Button>
      {asked !== undefined && (
        <ConfirmDialog
          title={`Remove case ${asked + 1}?`}
          action="Remove it"
          onConfirm={() => remove(asked)}
          onClose={() => ask(undefined)}
        >
          Its steps are removed with it.
        </ConfirmDialog>
      )}
    </fieldset>
  );
};
