import { useMutation, useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { channelsQuery } from '../../../api/ai';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { FIELD, Field } from '../../../ui/forms/fields';
import { Page, PageBody } from '../../../ui/page';
import { Button, Chip, Empty, Failure, failureOf } from '../../../ui/parts';
import { Progress } from '../../../ui/progress';
import { Section } from '../../../ui/section';
import { AiTabs } from '../tabs';
import { Trace } from '../turns/turn-trace';
import { shownCode, TURN_STATES } from '../words';

type Message = Schemas['EvalCaseMessage'];
type Body = Schemas['PreviewAutopilot'];

/** The channels of conversations, as switches of autopilot name them. */
const CHANNEL_OF: Partial<Record<Schemas['AutopilotChannel'], NonNullable<Body['channel']>>> = { phone: 'phone_voice' };

/** The AI's answer by the draft of its settings, with its trace. Nothing follows. */
export const Preview = () => {
  const mayAsk = useMay('autopilot:write');
  const channels = useQuery(channelsQuery);
  const on = channels.data?.filter(({ autopilot_enabled }) => autopilot_enabled) ?? [];
  const [before, setBefore] = useState<Message[]>([]);
  const preview = useMutation({
    mutationFn: (body: Body) => dataOf(api.POST('/autopilot/preview', { body })),
  });
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const channel = String(form.get('channel')) as Body['channel'];
    const messages = [...before, { sender: 'contact' as const, text: String(form.get('text')).trim() }];
    preview.mutate({ messages, channel, verified: form.get('verified') !== null });
    setBefore(messages);
    event.currentTarget.reset();
  };
  const restart = () => {
    preview.reset();
    setBefore([]);
  };
  const answer = preview.data;
  const goOn = () => {
    if (answer?.text == null) return;
    const state = answer.state === 'asked' ? ('asked' as const) : ('answered' as const);
    setBefore([...before, { sender: 'ai', text: answer.text, state }]);
    preview.reset();
  };
  return (
    <Page title="AI" tabs={<AiTabs />}>
      <PageBody label="Preview">
        <div className="mx-auto max-w-180 space-y-3">
          <p className="text-quiet">
            The AI decides by the draft of its settings, by the same code as in a conversation. No action is called, and
            nobody is written to.
          </p>
          {failureOf(channels)}
          {channels.data !== undefined && on.length === 0 && (
            <Empty title="The AI is off">Switch it on for a channel in the settings: it answers nowhere else.</Empty>
          )}
          {before.length > 0 && (
            <ol aria-label="Messages" className="space-y-1">
              {before.map(({ sender, text }, n) => (
                <li
                  // biome-ignore lint/suspicious/noArrayIndexKey: messages keep their places
                  key={n}
                  className={`w-fit max-w-[90%] rounded-lg px-3 py-2 break-words whitespace-pre-wrap ${sender === 'contact' ? 'border border-line bg-surface' : 'ml-auto bg-selected'}`}
                >
                  {text}
                </li>
              ))}
            </ol>
          )}
          {preview.isPending && (
            <Progress says="The AI decides. It takes a minute at most." done={0} total={undefined} />
          )}
          {preview.error !== null && (
            <Failure
              error={preview.error}
              onRetry={() => preview.variables !== undefined && preview.mutate(preview.variables)}
            />
          )}
          {answer !== undefined && <Answer answer={answer} />}
          {mayAsk && on.length > 0 && answer === undefined && !preview.isPending && (
            <form onSubmit={onSubmit} className="space-y-3 rounded-lg border border-line bg-surface p-4">
              <Field label="What the customer writes">
                <textarea name="text" required maxLength={10_000} rows={3} className={`${FIELD} h-auto py-1.5`} />
              </Field>
              <div className="flex flex-wrap items-end gap-3">
                <div className="w-40">
                  <Field label="Channel">
                    <select name="channel" className={FIELD}>
                      {on.map(({ channel }) => (
                        <option key={channel} value={CHANNEL_OF[channel] ?? channel}>
                          {shownCode(channel)}
                        </option>
                      ))}
                    </select>
                  </Field>
                </div>
                <label className="flex h-9 items-center gap-1.5">
                  <input type="checkbox" name="verified" className="size-4 accent-(--accent)" />
                  Their identity is verified
                </label>
                <Button type="submit" look="main" className="h-9">
                  Preview
                </Button>
              </div>
            </form>
          )}
          {!mayAsk && (
            <Empty title="Only to be seen">A preview asks models. It needs the right to change the AI.</Empty>
          )}
          {(answer !== undefined || preview.error !== null) && (
            <div className="flex gap-2">
              {answer?.text != null && (
                <Button look="main" onClick={goOn}>
                  Write a reply to it
                </Button>
              )}
              <Button onClick={restart}>Start again</Button>
            </div>
          )}
        </div>
      </PageBody>
    </Page>
  );
};

const Answer = ({ answer }: { answer: Schemas['PreviewedTurn'] }) => (
  <Section
    title="What the AI does"
    actions={<Chip tone={TURN_STATES[answer.state].tone}>{TURN_STATES[answer.state].name}</Chip>}
  >
    <div className="space-y-3 p-4">
      {answer.reason !== null && <p className="text-quiet">{shownCode(answer.reason)}</p>}
      {answer.text !== null && (
        <p className="rounded-lg bg-selected px-3 py-2 break-words whitespace-pre-wrap">{answer.text}</p>
      )}
      {answer.unstubbed.length > 0 && (
        <p className="text-warn-text">It would call {answer.unstubbed.join(', ')}, which a preview does not.</p>
      )}
      {answer.citations.length > 0 && (
        <ul aria-label="Sources" className="space-y-1">
          {answer.citations.map(({ item_id, chunk, title, quote }) => (
            <li key={`${item_id} ${chunk} ${quote}`} className="break-words">
              <span className="text-quiet">{title}:</span> {quote}
            </li>
          ))}
        </ul>
      )}
      <section aria-label="How it came about" className="text-xs">
        <h3 className="text-sm font-semibold">How it came about</h3>
        <Trace turn={answer} />
      </section>
    </div>
  </Section>
);
