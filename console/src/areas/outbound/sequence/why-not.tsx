import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Check, Clock, X } from 'lucide-react';
import { useRef } from 'react';
import type { Schemas } from '../../../api/client';
import { explanationQuery } from '../../../api/outbound';
import { CopyButton } from '../../../ui/copy-button';
import { Button, failureOf, Skeleton } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';

type Explanation = Schemas['ContactExplanation'];
type CheckState = Explanation['checks'][number]['state'];

/** Says why a contact did not get it. The question is in the address, so the answer can be passed on as a link. */
export const WhyNot = ({ sequence }: { sequence: Schemas['Sequence'] }) => {
  const search = useSearch({ from: '/outbound/$sequenceId' });
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const who = search.why ?? '';
  const answer = useQuery(explanationQuery(sequence.id, who));
  const ask = (why: string) =>
    void navigate({
      to: '/outbound/$sequenceId',
      params: { sequenceId: sequence.id },
      search: { ...search, why: why || undefined },
    });
  return (
    <Section title="Why did somebody not get it?">
      <div className="space-y-3 p-4">
        <form
          className="flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            ask(field.current?.value.trim() ?? '');
          }}
        >
          <input
            ref={field}
            key={answer.data?.contact?.email ?? who}
            required
            maxLength={254}
            defaultValue={answer.data?.contact?.email ?? who}
            aria-label="E-mail address or id of a contact"
            placeholder="ada@example.com"
            autoComplete="off"
            className="h-8 min-w-0 flex-1 rounded-md border border-line bg-page px-2 placeholder:text-quiet"
          />
          <Button type="submit" look="main">
            Explain
          </Button>
        </form>
        {failureOf(answer)}
        {answer.isLoading && <Skeleton rows={3} />}
        {answer.data !== undefined && who !== '' && <Answer sequenceId={sequence.id} answer={answer.data} />}
      </div>
    </Section>
  );
};

const VERDICTS: Record<Explanation['verdict'], string> = {
  unknown_contact: 'bg-bad text-bad-text',
  not_enrolled: 'bg-bad text-bad-text',
  stopped: 'bg-bad text-bad-text',
  waiting: 'bg-warn text-warn-text',
  sent: 'bg-good text-good-text',
};

interface AnswerProps {
  sequenceId: string;
  answer: Explanation;
}

const Answer = ({ sequenceId, answer: { contact, verdict, summary, at, steps, checks, enrollment } }: AnswerProps) => (
  <section aria-label="Answer" className="space-y-3">
    {contact !== null && (
      <p className="flex flex-wrap items-center gap-x-1.5">
        <span className="font-medium">{contact.name || contact.email || contact.phone_number}</span>
        <span className="text-quiet">{contact.name && contact.email}</span>
        <CopyButton text={contact.id} what="the id of the contact" />
      </p>
    )}
    <p role="status" className={`rounded-md p-3 break-words ${VERDICTS[verdict]}`}>
      {summary}
      {at !== null && (
        <>
          {' '}
          (<Ago at={at} />)
        </>
      )}
    </p>
    {steps.length > 0 && (
      <ol className="space-y-1.5">
        {steps.map((step) => {
          const delivery = enrollment?.steps.find(({ id }) => id === step.id)?.delivery;
          return (
            <li key={step.id} className="flex gap-2">
              <span className="w-4 shrink-0 text-right text-quiet tabular-nums">
                {step.index === null ? '×' : step.index + 1}
              </span>
              <span className="min-w-0 flex-1 break-words">
                {step.says} {step.at !== null && <Ago at={step.at} className="text-quiet" />}
                {delivery != null && (
                  <>
                    {' '}
                    <Link
                      to="/outbound/deliveries"
                      search={{ sequence_id: sequenceId, contact_id: contact?.id, open: delivery.id }}
                      className="text-link underline"
                    >
                      delivery
                    </Link>
                  </>
                )}
              </span>
            </li>
          );
        })}
      </ol>
    )}
    <details>
      <summary className="w-fit cursor-pointer text-quiet hover:text-text">All that was checked</summary>
      <ul className="mt-2 space-y-1.5">
        {checks.map(({ check, state, says, at: since }) => (
          <li key={check} className="flex gap-2">
            <Sign state={state} />
            <span className="min-w-0 flex-1 break-words">
              {says}
              {since !== null && (
                <span className="text-quiet">
                  {' · '}
                  <Ago at={since} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </details>
  </section>
);

const SIGNS = {
  ok: { Icon: Check, name: 'In order', color: 'text-good-text' },
  waits: { Icon: Clock, name: 'Waits', color: 'text-warn-text' },
  stops: { Icon: X, name: 'Prevents it', color: 'text-bad-text' },
};

const Sign = ({ state }: { state: CheckState }) => {
  const { Icon, name, color } = SIGNS[state];
  return <Icon size={15} aria-label={name} className={`mt-0.5 shrink-0 ${color}`} />;
};
