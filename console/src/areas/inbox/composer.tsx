import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Paperclip, X } from 'lucide-react';
import { type KeyboardEvent, useRef } from 'react';
import { ApiError, api, dataOf, type Schemas } from '../../api/client';
import { historyQuery } from '../../api/queries';
import { Button } from '../../ui/parts';
import type { Actions } from './actions';

export interface Draft {
  kind: 'reply' | 'note';
  text: string;
  files: File[];
}

interface ComposerProps {
  session: Schemas['ChatSession'];
  me: Schemas['Me'];
  draft: Draft;
  setDraft: (draft: Draft) => void;
  actions: Actions;
}

/** Where replies and notes are written. A refused message keeps its text, and is sent once however often it is tried. */
export const Composer = (props: ComposerProps) => {
  const { session, draft, setDraft, actions, me } = props;
  const { send, intent } = useSending(props);
  const isEmpty = draft.text.trim() === '' && draft.files.length === 0;
  const change = (part: Partial<Draft>) => {
    intent.current = undefined;
    setDraft({ ...draft, ...part });
  };
  const submit = (closes = false) => {
    if (isEmpty || send.isPending) return;
    send.mutate(undefined, { onSuccess: () => closes && actions.setStatus('closed_resolved') });
  };
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const sends = event.ctrlKey || event.metaKey || (me.member?.settings.send_key === 'enter' && !event.shiftKey);
    if (event.key === 'Enter' && sends) {
      event.preventDefault();
      submit(event.shiftKey);
    }
    if (event.key === 'Escape') event.currentTarget.blur();
  };
  const isNote = draft.kind === 'note';
  return (
    <form
      className={`border-t p-3 ${isNote ? 'border-note-line bg-note' : 'border-line bg-surface'}`}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Kinds draft={draft} onChange={change} channel={session.channel.type} />
      {send.error !== null && (
        <p role="alert" className="mt-2 rounded bg-bad px-2 py-1 text-bad-text">
          {send.error.message}
          {send.error instanceof ApiError &&
            send.error.body.code === 'newer_messages' &&
            ' Read them, then send again.'}
        </p>
      )}
      <textarea
        id="composer"
        aria-label={isNote ? 'Note' : 'Reply'}
        placeholder={isNote ? 'A note for your team' : 'Write a reply'}
        rows={3}
        value={draft.text}
        onChange={({ target }) => change({ text: target.value })}
        onKeyDown={onKey}
        onPaste={({ clipboardData }) => !isNote && addFiles([...clipboardData.files])}
        className="mt-2 block max-h-60 min-h-16 w-full resize-none rounded-md border border-line bg-page p-2 [field-sizing:content] placeholder:text-quiet"
      />
      <div className="mt-2 flex items-center gap-2">
        {!isNote && <FilePicker files={draft.files} onChange={(files) => change({ files })} />}
        <Button type="submit" look="main" className="ml-auto" disabled={isEmpty || send.isPending} title="Ctrl Enter">
          {send.isPending ? 'Sending' : isNote ? 'Add note' : 'Send'}
        </Button>
      </div>
    </form>
  );

  function addFiles(files: File[]): void {
    if (files.length > 0) change({ files: [...draft.files, ...files] });
  }
};

function useSending({ session, draft, setDraft }: ComposerProps) {
  const client = useQueryClient();
  const { queryKey } = historyQuery(session.id);
  /** A draft is sent with one key until it changes, and only behind the items that were seen. */
  const intent = useRef<{ key: string; seen: string | undefined }>(undefined);
  const send = useMutation({
    mutationFn: async () => {
      const seen = client.getQueryData(queryKey)?.pages[0]?.items[0]?.id;
      if (intent.current?.seen !== seen) intent.current = undefined;
      intent.current ??= { key: crypto.randomUUID(), seen };
      const params = { path: { id: session.id }, header: { 'idempotency-key': intent.current.key } };
      if (draft.kind === 'note')
        return dataOf(api.POST('/chat/sessions/{id}/notes', { params, body: { text: draft.text } }));
      const attachments = await Promise.all(draft.files.map(attachmentOf));
      return dataOf(
        api.POST('/chat/sessions/{id}/send', {
          params,
          body: {
            sender: 'agent',
            message: { type: 'text', text: draft.text, attachments },
            should_take_over_session_from_ai: true,
            expected_last_id: seen,
          },
        }),
      );
    },
    onSuccess: () => {
      intent.current = undefined;
      setDraft({ kind: 'reply', text: '', files: [] });
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
  return { send, intent };
}

const attachmentOf = (file: File) =>
  new Promise<{ name: string; base64: string }>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, base64: String(reader.result).replace(/^data:[^,]*,/, '') });
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

interface KindsProps {
  draft: Draft;
  channel: string;
  onChange: (part: Partial<Draft>) => void;
}

const Kinds = ({ draft, channel, onChange }: KindsProps) => (
  <div className="flex items-center gap-1">
    {(['reply', 'note'] as const).map((kind) => (
      <button
        key={kind}
        type="button"
        aria-pressed={draft.kind === kind}
        aria-keyshortcuts={kind === 'reply' ? 'r' : 'n'}
        onClick={() => onChange({ kind })}
        className="h-7 rounded-md px-2.5 text-quiet hover:bg-hover aria-pressed:bg-sunken aria-pressed:font-medium aria-pressed:text-text"
      >
        {kind === 'reply' ? 'Reply' : 'Note'}
      </button>
    ))}
    <span className="ml-auto text-xs text-quiet">
      {draft.kind === 'reply' ? `by ${channel}` : 'for your team alone'}
    </span>
  </div>
);

const FilePicker = ({ files, onChange }: { files: File[]; onChange: (files: File[]) => void }) => (
  <>
    <label className="inline-flex size-8 cursor-pointer items-center justify-center rounded-md text-quiet focus-within:outline-2 hover:bg-hover">
      <Paperclip size={16} aria-hidden="true" />
      <input
        type="file"
        multiple
        aria-label="Attach files"
        className="sr-only"
        onChange={({ target }) => onChange([...files, ...(target.files ?? [])])}
      />
    </label>
    {files.map((file) => (
      <button
        key={`${file.name} ${file.lastModified}`}
        type="button"
        aria-label={`Remove ${file.name}`}
        onClick={() => onChange(files.filter((one) => one !== file))}
        className="inline-flex max-w-40 items-center gap-1 truncate rounded bg-sunken px-2 py-1 text-xs"
      >
        {file.name}
        <X size={12} aria-hidden="true" />
      </button>
    ))}
  </>
);
