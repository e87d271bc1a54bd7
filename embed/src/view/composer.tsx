import { useEffect, useRef, useState } from 'preact/hooks';
import { MAX_LENGTH } from '../chat.ts';
import type { Outgoing } from '../storage.ts';
import { useChat } from './context.ts';
import { Icon } from './icons.tsx';
import { sizeOf } from './message.tsx';

interface Draft {
  id: number;
  file: File;
  share: number;
  problem?: string;
  isRepeatable?: boolean;
  stored?: Outgoing['files'][number];
}

const MAX_FILES = 10;
const MAX_HEIGHT = 140;
let drafts = 0;

/** The field in which the visitor writes, with the files of the next message. */
export function Composer() {
  const { chat, t } = useChat();
  const [text, setText] = useState(chat.draft());
  const { files, add, retry, remove, clear } = useFiles();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const area = field.current as HTMLTextAreaElement;
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight, MAX_HEIGHT)}px`;
  }, [text]);
  const stored = files.flatMap((file) => (file.stored ? [file.stored] : []));
  const isReady = (text.trim() !== '' || stored.length > 0) && stored.length === files.length;
  const write = (value: string) => {
    setText(value);
    chat.draft(value);
  };
  const send = () => {
    if (!isReady) return;
    void chat.send(text.trim(), stored);
    setText('');
    clear();
    field.current?.focus();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        add(event.dataTransfer?.files);
      }}
    >
      {files.length > 0 && (
        <ul class="drafts">
          {files.map((draft) => (
            <DraftFile key={draft.id} draft={draft} onRetry={() => retry(draft)} onRemove={() => remove(draft.id)} />
          ))}
        </ul>
      )}
      <div class="row">
        <AttachButton onPick={add} />
        <textarea
          ref={field}
          rows={1}
          dir={text === '' ? undefined : 'auto'}
          value={text}
          aria-label={t('placeholder')}
          placeholder={t('placeholder')}
          maxLength={MAX_LENGTH}
          onInput={({ currentTarget }) => write(currentTarget.value)}
          onPaste={({ clipboardData }) => add(clipboardData?.files)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <button class="send" type="submit" disabled={!isReady} aria-label={t('send')}>
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}

function AttachButton({ onPick }: { onPick: (files: FileList | undefined | null) => void }) {
  const { state, t } = useChat();
  const input = useRef<HTMLInputElement>(null);
  const accepted = state.config?.files;
  if (!accepted) return null;
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={accepted.types.join(',')}
        onChange={({ currentTarget }) => {
          onPick(currentTarget.files);
          currentTarget.value = '';
        }}
      />
      <button type="button" class="plain" aria-label={t('attach')} onClick={() => input.current?.click()}>
        <Icon name="attach" />
      </button>
    </>
  );
}

function DraftFile({ draft, onRetry, onRemove }: { draft: Draft; onRetry: () => void; onRemove: () => void }) {
  const { t } = useChat();
  const { file, share, problem, stored } = draft;
  return (
    <li>
      <Icon name="file" />
      <span class={problem ? 'problem' : ''} role={problem ? 'alert' : undefined}>
        {problem ?? file.name}
        {!problem && !stored && <progress value={share} aria-label={file.name} />}
      </span>
      {draft.isRepeatable && (
        <button type="button" class="link" onClick={onRetry}>
          {t('retry')}
        </button>
      )}
      <button type="button" class="plain small" aria-label={t('remove', { name: file.name })} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  );
}

/** The files of the next message: checked, then uploaded while the visitor writes. */
function useFiles() {
  const { chat, state, t, language } = useChat();
  const [files, setFiles] = useState<Draft[]>([]);
  const change = (id: number, to: Partial<Draft>) =>
    setFiles((all) => all.map((one) => (one.id === id ? { ...one, ...to } : one)));
  const accepted = state.config?.files;
  const problemOf = ({ name, type, size }: File): string | undefined => {
    if (!accepted || (type !== '' && !accepted.types.includes(type) && !type.startsWith('text/')))
      return t('wrongType', { name });
    return size > accepted.max_bytes ? t('tooLarge', { name, size: sizeOf(accepted.max_bytes, language) }) : undefined;
  };
  const upload = async ({ id, file }: Draft) => {
    change(id, { problem: undefined, isRepeatable: false, share: 0 });
    try {
      const { fileName: name, fileUrl: url } = await chat.upload(file, (share) => change(id, { share }));
      change(id, { stored: { name, url, type: file.type, size: file.size } });
    } catch {
      change(id, { problem: t('uploadFailed', { name: file.name }), isRepeatable: true });
    }
  };
  return {
    files,
    add(list: FileList | undefined | null) {
      const room = MAX_FILES - files.length;
      const added = [...(list ?? [])]
        .slice(0, room)
        .map((file): Draft => ({ id: ++drafts, file, share: 0, problem: problemOf(file) }));
      setFiles((all) => [...all, ...added]);
      for (const draft of added) if (!draft.problem) void upload(draft);
    },
    retry: (draft: Draft) => void upload(draft),
    remove: (id: number) => setFiles((all) => all.filter((one) => one.id !== id)),
    clear: () => setFiles([]),
  };
}
