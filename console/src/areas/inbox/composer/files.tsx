import { Paperclip, X } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import { uploadMedia } from '../../../api/media';

type KeptFile = Schemas['KeptFile'];

/** Uploads files one after the other. Those that are refused are named with the reason. */
export function useUploads(onUploaded: (files: KeptFile[]) => void) {
  const [isUploading, setUploading] = useState(false);
  const [problems, setProblems] = useState<string[]>([]);
  const upload = async (files: File[]) => {
    if (files.length === 0) return;
    setProblems([]);
    setUploading(true);
    const uploaded: KeptFile[] = [];
    for (const file of files) {
      const refuse = (error: Error) => setProblems((others) => [...others, `${file.name}: ${error.message}`]);
      await uploadFile(file).then((kept) => uploaded.push(kept), refuse);
    }
    setUploading(false);
    if (uploaded.length > 0) onUploaded(uploaded);
  };
  return { upload: (files: Iterable<File>) => void upload([...files]), isUploading, problems };
}

async function uploadFile(file: File): Promise<KeptFile> {
  const { id, fileName, fileUrl, mime_type, size } = await uploadMedia(file);
  return { id, name: fileName, url: fileUrl, mime_type, size };
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
