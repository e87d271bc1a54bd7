import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { movesQuery } from '../../../api/transfers';
import { Button, lookOf } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { CancelJob } from './cancel-job';
import { JobList, JobRow } from './job-list';
import { MoveDialog } from './move-dialog';
import { countsOf, MOVED, percentOf, SOURCES } from './words';

interface MovesProps {
  /** What the member may move in. */
  resources: (readonly [Schemas['ImportResource'], string])[];
}

/** Imports from the help desk used before. */
export const Moves = ({ resources }: MovesProps) => {
  const [isOpen, open] = useState(false);
  return (
    <Section title="Move in from another desk" actions={<Button onClick={() => open(true)}>Move in</Button>}>
      <JobList
        label="Imports from other desks"
        query={useInfiniteQuery(movesQuery)}
        empty="Nothing was moved in within the last 30 days. Chatwoot, Zendesk and HubSpot write files that can be."
      >
        {(job) => <MoveRow job={job} />}
      </JobList>
      {isOpen && <MoveDialog resources={resources} onClose={() => open(false)} />}
    </Section>
  );
};

const MoveRow = ({ job }: { job: Schemas['Import'] }) => {
  const { id, source, resource, account, file_name, status, report_url } = job;
  const from = `${SOURCES[source]}${account === '' ? '' : ` (${account})`}: ${MOVED[resource].toLowerCase()}`;
  const name = [from, file_name].filter(Boolean).join(', ');
  return (
    <JobRow job={job} name={name} says={sentenceOf(job)}>
      {report_url !== null && (
        <a
          href={`/imports/${id}/report`}
          download={`left-out-${job.created_at.slice(0, 10)}.csv`}
          className={lookOf('plain')}
        >
          What was left out
        </a>
      )}
      {status === 'running' && (
        <CancelJob
          does="Cancel"
          what={`Import of ${name}`}
          says="Canceled"
          cancel={() => dataOf(api.POST('/imports/{id}/cancel', { params: { path: { id } } }))}
          stale={movesQuery.queryKey}
        >
          What was imported stays. The rest is not imported: import the file again to have it.
        </CancelJob>
      )}
    </JobRow>
  );
};

function sentenceOf({ status, progress, ...job }: Schemas['Import']): string {
  const counts = countsOf([
    [job.created, 'created'],
    [job.updated, 'updated'],
    [job.unchanged, 'there already'],
    [job.left_out, 'left out'],
    [job.incomplete, 'without a part'],
  ]);
  if (status === 'running') return [percentOf(progress), counts].filter(Boolean).join(': ');
  return counts === '' ? 'Nothing was imported' : counts;
}
