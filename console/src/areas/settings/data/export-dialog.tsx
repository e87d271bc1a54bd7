import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { exportsQuery } from '../../../api/transfers';
import { FormDialog } from '../../../ui/dialogs/form-dialog';
import { Select } from '../../../ui/forms/fields';
import { DateFields } from '../../../ui/lists/date-fields';
import { useChange } from '../frame/use-change';

const FORMATS = [
  ['csv', 'CSV, for spreadsheets'],
  ['ndjson', 'NDJSON, for programs'],
] as const;

interface ExportDialogProps {
  resources: (readonly [Schemas['ExportResource'], string])[];
  onClose: () => void;
}

/** Has a file of records written. */
export const ExportDialog = ({ resources, onClose }: ExportDialogProps) => {
  const [resource, setResource] = useState(resources[0]?.[0] ?? 'contacts');
  const [format, setFormat] = useState<(typeof FORMATS)[number][0]>('csv');
  const [{ from, to }, setRange] = useState<{ from?: string | undefined; to?: string | undefined }>({});
  const start = useChange((body: Schemas['StartExport']) => dataOf(api.POST('/exports', { body })), {
    stale: [exportsQuery.queryKey],
    says: 'The export has begun',
  });
  const filter = {
    ...(from !== undefined && { created_after: from }),
    ...(to !== undefined && { created_before: to }),
  };
  return (
    <FormDialog
      title="Export records"
      action="Export"
      request={start}
      onSubmit={() => start.mutate({ resource, format, filter }, { onSuccess: onClose })}
      onClose={onClose}
      className="w-[32rem]"
    >
      <div className="grid gap-4 min-[500px]:grid-cols-2">
        <Select label="What" value={resource} options={resources} onChoose={setResource} />
        <Select label="Format" value={format} options={FORMATS} onChoose={setFormat} />
        <DateFields
          what={resource === 'conversations' ? 'Opened' : 'Created'}
          from={from}
          to={to}
          onChange={setRange}
        />
      </div>
      <p className="text-xs text-quiet">
        Without dates, all there are, as they are at one moment. Redacted texts are left out.
      </p>
    </FormDialog>
  );
};
