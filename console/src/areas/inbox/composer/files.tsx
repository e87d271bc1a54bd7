import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { Paperclip, X } from 'lucide-react';
import type { Schemas } from '../../../api/client';

type KeptFile = Schemas['KeptFile'];

interface Uploads {
  running: number;
  problems: string[];
}

const NO_UPLOADS: Uploads = { running: 0, problems: [] };

/**
 * Uploads files for a session one after the other, also while another one is open. Those that are refused are named with
 * the reason.
 */
export function useUploads(id: string, onUploaded: (files: KeptFile[]) => void) {
  const client = useQueryClient();
  const queryKey = ['uploads', id];
  const { data = NO_UPLOADS } = useQuery<Uploads>({ queryKey, queryFn: skipToken });
  const set = (change: (now: Uploads) => Partial<Uploads>) =>
    client.setQueryData<Uploads>(queryKey, (now = NO_UPLOADS) => ({ ...now, ...change(now) }));
  const upload = async (files: File[]) => {
    if (files.length === 0) return;
    set(({ running }) => ({ running: running + 1, problems: [] }));
    const refuse = (problem: string) => set(({ problems }) => ({ problems: [...problems, problem] }));
    const uploaded = await import('./uploading')
      .then(({ uploadEach }) => uploadEach(files, refuse))
      .catch(({ message }: Error) => {
        refuse(message);
        return [];
      });
    set(({ running }) => ({ running: Math.max(0, running - 1) }));
    if (uploaded.length > 0) onUploaded(uploaded);
  };
  return {
    upload: (files: Iterable<File>) => void upload([...files]),
    isUploading: data.running > 0,
    problems: data.problems,
  };
}

interface FilesProps {
  files: KeptFile[];
  isUploading: boolean;
  onAdd: (files: Iterable<File>) => void;
  onRemove: (file: KeptFile) => void;
}

export const FilePicker = ({ files, isUploading, onAdd, onRemove }: FilesProps) => (
  <>
    <label
      title="Attach files"
      className="inline-flex size-8 shrink-0 cursor-pointer items-center justify-center rounded-md text-quiet focus-within:outline-2 hover:bg-hover"
    >
      <Paperclip size={16} aria-hidden="true" />
      <input
        type="file"
        multiple
        aria-label="Attach files"
        className="sr-only"
        onChange={({ target }) => {
          onAdd(target.files ?? []);
          target.value = '';
        }}
      />
    </label>
    {files.map((file) => (
      <button
        key={file.id}
        type="button"
        aria-label={`Remove ${file.name}`}
        onClick={() => onRemove(file)}
        className="inline-flex h-7 max-w-40 items-center gap-1 rounded bg-sunken px-2 text-xs hover:bg-hover"
      >
        <span className="truncate">{file.name}</span>
        <X size={12} aria-hidden="true" className="shrink-0" />
      </button>
    ))}
    {isUploading && <span className="text-xs text-quiet">Uploading</span>}
  </>
);
