import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import { importRecords, movesQuery } from '../../../api/transfers';
import { FIELD, Field, Select } from '../../../ui/forms/fields';
import { UploadDialog } from './upload-dialog';
import { useUpload } from './use-upload';
import { SOURCES } from './words';

type Source = Schemas['ImportSource'];
type Resource = Schemas['ImportResource'];

/** A source's own name for each thing that can be moved in. */
const FILES: Record<Source, Partial<Record<Resource, string>>> = {
  chatwoot: {
    contacts: 'The export of contacts as CSV, or answers of the API',
    conversations: 'Conversations with all of their messages, one a line',
    help_center: 'Answers of the API of the portal',
  },
  zendesk: {
    contacts: 'The account export of users as JSON',
    conversations: 'The account export of tickets as JSON. Import the users first: tickets name people by their ids',
    help_center: 'Answers of the API of the help center',
  },
  hubspot: { contacts: 'The export of a list or a view as CSV' },
};

const LARGER = 'Up to 100 MB: the command “import” of the CLI takes larger files.';

interface MoveDialogProps {
  resources: (readonly [Resource, string])[];
  onClose: () => void;
}

/** Uploads a file of another desk. */
export const MoveDialog = ({ resources, onClose }: MoveDialogProps) => {
  const [source, setSource] = useState<Source>('chatwoot');
  const [wanted, want] = useState<Resource>();
  const [account, setAccount] = useState('');
  const { upload, start } = useUpload(importRecords, { stale: movesQuery.queryKey, onDone: onClose });
  const offered = resources.filter(([name]) => name in FILES[source]);
  const resource = (offered.find(([name]) => name === wanted) ?? offered[0])?.[0] ?? 'contacts';
  return (
    <UploadDialog
      title="Move in from another desk"
      accept=".csv,.json,.ndjson,.jsonl,.txt"
      hint={`${FILES[source][resource]}. ${LARGER}`}
      upload={upload}
      onUpload={(file) => start(file, { source, resource, ...(account !== '' && { account }) })}
      onClose={onClose}
      above={
        <div className="grid gap-4 min-[500px]:grid-cols-2">
          <Select
            label="From"
            value={source}
            options={(Object.keys(FILES) as Source[])
              .filter((name) => resources.some(([one]) => one in FILES[name]))
              .map((name) => [name, SOURCES[name]] as const)}
            onChoose={setSource}
          />
          <Select label="What" value={resource} options={offered} onChoose={want} />
        </div>
      }
    >
      <Field label="Account (optional)">
        <input
          value={account}
          onChange={({ target }) => setAccount(target.value)}
          maxLength={100}
          pattern="[\w.\-]*"
          title="Letters, digits and . _ -"
          autoComplete="off"
          className={FIELD}
        />
      </Field>
      <p className="text-xs text-quiet">
        A name for each account, if you move in from several of one desk: their ids may be the same. Records keep their
        times, and nothing reacts to them. Imported again, a file adds what is new in it.
      </p>
    </UploadDialog>
  );
};
