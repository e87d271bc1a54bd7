import { useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { type Article, collectionsQuery } from '../../../api/knowledge';
import { meQuery } from '../../../api/queries';
import { CHANNEL_CHOICES } from '../../../ui/channels';
import { FIELD, Field, Select } from '../../../ui/forms/fields';
import { lazily } from '../../../ui/lazily';
import { Button } from '../../../ui/parts';
import { heldText, type Written, writtenSince } from './held-text';
import { useSave } from './save';

const Markdown = lazily(async () => (await import('../../../ui/markdown/markdown')).Markdown);

const TYPES = [
  ['SCENARIO_SPECIFIC', 'Where the question calls for it'],
  ['BEHAVIORAL', 'In each answer, as an instruction'],
] as const;
const VISIBILITIES = [
  ['internal', 'Supports answers, not shown'],
  ['public', 'May be quoted to customers'],
] as const;

interface EditorProps {
  /** Nothing if it is a new one. */
  article?: Article;
  collection?: string | undefined;
  mayWrite: boolean;
}

/** The text of an article beside its preview, with the places where the AI uses it. A viewer sees the preview alone. */
export const Editor = ({ article, collection, mayWrite }: EditorProps) => {
  const me = useQuery(meQuery).data;
  const store = heldText(article?.id ?? `new of ${me?.org.id} ${me?.member?.id}`);
  const saved = writtenOf(article, collection);
  const [held, setHeld] = useState(() => store.get());
  const written = held?.written ?? saved;
  const change = (changes: Partial<Written>) => {
    const next = { written: { ...written, ...changes }, updatedAt: held?.updatedAt ?? article?.updated_at };
    store.set(next);
    setHeld(next);
  };
  const save = useSave({
    article,
    held,
    onSaved: (sent, result) => {
      const rest = writtenSince(sent, store.get(), result);
      store.clear();
      if (rest !== undefined) heldText(result.id).set(rest);
      setHeld(rest);
    },
  });
  const discard = () => {
    store.clear();
    setHeld(undefined);
    save.discard();
  };
  const onSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate(written);
  };
  if (!mayWrite)
    return (
      <Shown title={written.title}>
        <Markdown text={written.content} />
      </Shown>
    );
  return (
    <form onSubmit={onSubmit} className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <div className="grid shrink-0 gap-3 p-4 min-[900px]:grid-cols-4">
        <Field label="Title">
          <input
            required
            maxLength={255}
            value={written.title}
            onChange={({ target }) => change({ title: target.value })}
            className={FIELD}
          />
        </Field>
        <Uses written={written} onChange={change} />
      </div>
      <Channels
        chosen={written.restricted_to_channels}
        onChoose={(channels) => change({ restricted_to_channels: channels })}
      />
      {article !== undefined && article.restricted_to_segments.length > 0 && (
        <p className="px-4 pb-2 text-xs text-quiet">
          Only for contacts of {article.restricted_to_segments.length} segments, as the API has set it.
        </p>
      )}
      <div className="grid min-h-96 flex-1 border-y border-line min-[900px]:grid-cols-2">
        <textarea
          aria-label="Text, as Markdown"
          required
          maxLength={100_000}
          value={written.content}
          onChange={({ target }) => change({ content: target.value })}
          className="min-h-64 resize-none bg-page p-4 font-mono text-[13px]"
        />
        <Shown title={written.title}>
          <Markdown text={written.content} />
        </Shown>
      </div>
      <div className="sticky bottom-0 flex shrink-0 flex-wrap items-center gap-2 bg-surface px-4 py-3">
        {save.error !== null && (
          <p role="alert" className="w-full rounded-md bg-bad p-3 text-bad-text">
            {save.error.message}
          </p>
        )}
        <Button type="submit" look="main" disabled={save.isPending || (held === undefined && article !== undefined)}>
          {labelOf(article, save.isOverwriting)}
        </Button>
        {held !== undefined && (
          <>
            <Button look="quiet" disabled={save.isPending} onClick={discard}>
              Discard changes
            </Button>
            <span role="status" className="text-xs text-quiet">
              Not saved. This tab keeps it meanwhile.
            </span>
          </>
        )}
      </div>
    </form>
  );
};

const Uses = ({ written, onChange }: { written: Written; onChange: (changes: Partial<Written>) => void }) => {
  const collections = useQuery(collectionsQuery).data ?? [];
  return (
    <>
      <Select
        label="The AI uses it"
        value={written.type}
        options={TYPES}
        onChoose={(type) => onChange({ type, ...(type === 'BEHAVIORAL' && { visibility: 'internal' }) })}
      />
      <Select
        label="Customers"
        value={written.visibility}
        options={VISIBILITIES}
        disabled={written.type === 'BEHAVIORAL'}
        onChoose={(visibility) => onChange({ visibility })}
      />
      <Select
        label="Collection"
        value={written.directory_id ?? ''}
        options={[['', 'None'], ...collections.map(({ id, name }) => [id, name] as const)]}
        onChoose={(id) => onChange({ directory_id: id || null })}
      />
    </>
  );
};

type ChosenChannels = Written['restricted_to_channels'];

const Channels = ({ chosen, onChoose }: { chosen: ChosenChannels; onChoose: (channels: ChosenChannels) => void }) => (
  <fieldset className="flex flex-wrap gap-x-4 gap-y-1 px-4 pb-3">
    <legend className="mb-1 text-xs text-quiet">Only on these channels. None chosen: on all.</legend>
    {CHANNEL_CHOICES.map(([channel, name]) => (
      <label key={channel} className="flex min-h-6 items-center gap-1.5">
        <input
          type="checkbox"
          checked={chosen.includes(channel)}
          onChange={({ target }) =>
            onChoose(target.checked ? [...chosen, channel] : chosen.filter((one) => one !== channel))
          }
          className="size-4 accent-(--accent)"
        />
        {name}
      </label>
    ))}
  </fieldset>
);

const Shown = ({ title, children }: { title: string; children: React.ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it only where it has the focus
  <section tabIndex={0} aria-label="How it looks" className="min-h-64 min-w-0 flex-1 overflow-y-auto p-4">
    <h2 className="mb-2 text-xl font-semibold break-words">{title || 'Untitled'}</h2>
    {children}
  </section>
);

function labelOf(article: Article | undefined, isOverwriting: boolean): string {
  if (isOverwriting) return 'Save mine over it';
  if (article === undefined) return 'Save as a draft';
  return article.is_draft ? 'Save' : 'Save and publish';
}

function writtenOf(article: Article | undefined, collection: string | undefined): Written {
  if (article === undefined)
    return {
      title: '',
      content: '',
      type: 'SCENARIO_SPECIFIC',
      visibility: 'public',
      directory_id: collection ?? null,
      restricted_to_channels: [],
    };
  const { title, content, type, visibility, directory_id, restricted_to_channels } = article;
  return { title, content, type, visibility, directory_id, restricted_to_channels };
}
