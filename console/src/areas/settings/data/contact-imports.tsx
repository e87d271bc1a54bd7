import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { contactImportsQuery } from '../../../api/transfers';
import { Button, lookOf } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { ContactImportDialog } from './contact-import-dialog';
import { JobList, JobRow } from './job-list';
import { countsOf, percentOf } from './words';

/** Contacts that come from CSV files. */
export const ContactImports = () => {
  const mayImport = useMay('contacts:write');
  const [isOpen, open] = useState(false);
  return (
    <Section
      title="Contacts from CSV"
      actions={mayImport && <Button onClick={() => open(true)}>Import contacts</Button>}
    >
      <JobList
        label="Imports of contacts"
        query={useInfiniteQuery(contactImportsQuery)}
        empty="No file was imported within the last week."
      >
        {(job) => <ContactImportRow job={job} />}
      </JobList>
      {isOpen && <ContactImportDialog onClose={() => open(false)} />}
    </Section>
  );
};

const ContactImportRow = ({ job }: { job: Schemas['ContactImport'] }) => (
  <JobRow job={job} name={job.file_name || 'Contacts'} says={sentenceOf(job)}>
    {job.refused > 0 && (
      <a
        href={`/contacts/imports/${job.id}/refused`}
        download={`refused-${job.created_at.slice(0, 10)}.csv`}
        className={lookOf('plain')}
      >
        Refused lines
      </a>
    )}
  </JobRow>
);

function sentenceOf({ status, progress, created, updated, skipped, refused }: Schemas['ContactImport']): string {
  const counts = countsOf([
    [created, 'created'],
    [updated, 'updated'],
    [skipped, 'skipped'],
    [refused, 'refused'],
  ]);
  if (status === 'running') return [percentOf(progress), counts].filter(Boolean).join(': ');
  if (counts !== '') return counts;
  return status === 'failed' ? 'Nothing was imported' : 'The file had no line but the first';
}
