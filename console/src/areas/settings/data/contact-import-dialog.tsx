import { useState } from 'react';
import { contactImportsQuery, importContacts } from '../../../api/transfers';
import { Select } from '../../../ui/forms/fields';
import { UploadDialog } from './upload-dialog';
import { useUpload } from './use-upload';

const KEYS = [
  ['', 'Any of them that a line has'],
  ['external_id', 'external_id'],
  ['email', 'email'],
  ['phone', 'phone'],
] as const;

const UPDATES = [
  ['true', 'Are updated'],
  ['false', 'Stay as they are'],
] as const;

/** Uploads a CSV file of contacts. */
export const ContactImportDialog = ({ onClose }: { onClose: () => void }) => {
  const [key, setKey] = useState<(typeof KEYS)[number][0]>('');
  const [update, setUpdate] = useState<(typeof UPDATES)[number][0]>('true');
  const { upload, start } = useUpload(importContacts, { stale: contactImportsQuery.queryKey, onDone: onClose });
  return (
    <UploadDialog
      title="Import contacts"
      accept=".csv,.tsv,.txt,text/csv"
      hint="CSV in UTF-8, up to 100 MB. Its first line names the columns: external_id, email, phone, name, and custom_data.plan and the like. Empty cells change nothing."
      upload={upload}
      onUpload={(file) => start(file, { ...(key !== '' && { key }), update })}
      onClose={onClose}
    >
      <Select label="Contacts are found by the column" value={key} options={KEYS} onChoose={setKey} />
      <Select label="Contacts that exist" value={update} options={UPDATES} onChoose={setUpdate} />
    </UploadDialog>
  );
};
