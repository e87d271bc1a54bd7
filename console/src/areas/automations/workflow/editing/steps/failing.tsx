import { Select } from '../../../../../ui/forms/fields';
import type { PartProps } from './part';

const ATTEMPTS = Array.from({ length: 10 }, (_, n) => `${n + 1}`);
const USUAL_ATTEMPTS = 3;

/** How often an action is tried, and what follows if all tries fail. */
export const Failing = ({ step, onChange }: Omit<PartProps, 'problems'>) => (
  <div className="grid grid-cols-2 gap-3">
    <Select
      label="Attempts"
      value={`${step.retry?.attempts ?? USUAL_ATTEMPTS}`}
      options={ATTEMPTS.map((count) => [count, count] as const)}
      onChoose={(count) => onChange({ retry: { attempts: Number(count) } })}
    />
    <Select
      label="If the last one fails"
      value={step.on_error ?? 'fail'}
      options={[
        ['fail', 'the run fails'],
        ['continue', 'the run continues'],
      ]}
      onChoose={(on_error) => onChange({ on_error })}
    />
  </div>
);
