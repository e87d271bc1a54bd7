import type { QueryKey } from '@tanstack/react-query';
import { useState } from 'react';
import type { Sent } from '../../../api/transfers';
import { useIntentKey } from '../../../ui/intent-key';
import { useChange } from '../frame/use-change';

/** Uploads a file to be imported. The same file with the same options is one import, however often it is sent. */
export function useUpload<Query>(
  send: (sent: Sent<Query>) => Promise<unknown>,
  { stale, onDone }: { stale: QueryKey; onDone: () => void },
) {
  const intent = useIntentKey();
  const [share, setShare] = useState(0);
  const upload = useChange(send, { stale: [stale], says: 'The import has begun' });
  const start = (file: File, query: Query) => {
    const of = JSON.stringify([file.name, file.size, file.lastModified, query]);
    setShare(0);
    upload.mutate({ file, query, key: intent.keyFor(of), onSent: setShare }, { onSuccess: onDone });
  };
  return { upload: { ...upload, share }, start };
}
