import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { exportsQuery } from '../../../api/transfers';
import { Button, lookOf } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { shownMoment } from '../../../ui/times/time';
import { CancelJob } from './cancel-job';
import { ExportDialog } from './export-dialog';
import { JobList, JobRow } from './job-list';
import { EXPORTED, FORMATS, percentOf, shownBytes } from './words';

interface ExportsProps {
  /** What the member may export. */
  resources: (readonly [Schemas['ExportResource'], string])[];
}

/** Files of records. */
export const Exports = ({ resources }: ExportsProps) => {
  const [isOpen, open] = useState(false);
  return (
    <Section title="Exports" actions={<Button onClick={() => open(true)}>Export</Button>}>
      <JobList
        label="Exports"
        query={useInfiniteQuery(exportsQuery)}
        empty="Nothing was exported within the last 30 days."
      >
        {(job) => <ExportRow job={job} />}
      </JobList>
      {isOpen && <ExportDialog resources={resources} onClose={() => open(false)} />}
    </Section>
  );
};

const ExportRow = ({ job }: { job: Schemas['Export'] }) => {
  const { resource, format, status, url, size } = job;
  const name = `${EXPORTED[resource]} as ${FORMATS[format]}${periodOf(job.filter)}`;
  return (
    <JobRow job={job} name={name} says={sentenceOf(job)}>
      {url !== null && (
        <a href={new URL(url).pathname} download className={lookOf('plain')}>
          Download{size === null ? '' : ` (${shownBytes(size)})`}
        </a>
      )}
      {(status === 'running' || url !== null) && <CancelExport job={job} name={name} />}
    </JobRow>
  );
};

const CancelExport = ({ job: { id, status }, name }: { job: Schemas['Export']; name: string }) => (
  <CancelJob
    does={status === 'running' ? 'Cancel' : 'Delete the file'}
    what={`Export of ${name}`}
    says={status === 'running' ? 'Canceled' : 'Deleted'}
    cancel={() => dataOf(api.POST('/exports/{id}/cancel', { params: { path: { id } } }))}
    stale={exportsQuery.queryKey}
  >
    {status === 'running' ? 'No file comes of it.' : 'Its link ends at once, also for whoever has it.'}
  </CancelJob>
);

const dayOf = (ms: number) => new Date(ms).toLocaleDateString(undefined, { dateStyle: 'medium' });

/** Returns the days of a filter, whose end is the first moment behind it. */
function periodOf({ created_after, created_before }: Schemas['Export']['filter']): string {
  const from = created_after === null ? '' : ` from ${dayOf(Date.parse(created_after))}`;
  return created_before === null ? from : `${from} until ${dayOf(Date.parse(created_before) - 1)}`;
}

function sentenceOf({ status, progress, rows, url, expires_at }: Schemas['Export']): string {
  const records = rows === 1 ? '1 record' : `${rows.toLocaleString()} records`;
  if (status === 'running') return `${percentOf(progress)}: ${records}`;
  if (status === 'canceled' || status === 'failed') return 'There is no file';
  if (status === 'expired') return `${records}: the file is deleted`;
  return url === null || expires_at === null ? records : `${records}, to be had until ${shownMoment(expires_at)}`;
}
