import { invalid } from '../../errors.ts';
import type { Finding } from '../findings.rules.ts';
import { dataOf, filled, timeOf } from '../reading/record-parts.rules.ts';
import type { SourceRecord } from '../records.rules.ts';
import type { Source } from './source.ts';

/** The columns of an export that become fields of a contact: by their labels, or by their internal names. */
const COLUMNS = {
  id: ['record id', 'record id - contact', 'contact id', 'hs_object_id', 'vid'],
  email: ['email', 'email address'],
  phone: ['phone number', 'phone'],
  mobile: ['mobile phone number', 'mobilephone'],
  first: ['first name', 'firstname'],
  last: ['last name', 'lastname'],
  created: ['create date', 'createdate'],
};

/** HubSpot's export of a list or view of contacts as CSV. */
export const HUBSPOT: Source = { contactLines: { assertColumns, read: readLine } };

const placeOf = (columns: string[], field: keyof typeof COLUMNS): number =>
  columns.findIndex((name) => COLUMNS[field].includes(name.trim().toLowerCase()));

function assertColumns(columns: string[]): void {
  if (placeOf(columns, 'id') >= 0) return;
  throw invalid('The first line is not valid: there must be a column Record ID, as in an export of HubSpot', [
    { path: 'body.header', message: 'there must be a column Record ID' },
  ]);
}

function readLine(columns: string[], cells: string[]): SourceRecord[] {
  const cellOf = (field: keyof typeof COLUMNS) => filled(cells[placeOf(columns, field)]);
  const externalId = cellOf('id');
  if (externalId === undefined)
    return [
      {
        kind: 'left_out',
        externalId: null,
        findings: [{ code: 'not_readable', reason: 'The line has no Record ID' }],
      },
    ];
  const findings: Finding[] = [];
  const used = new Set((['id', 'email', 'phone', 'first', 'last'] as const).map((field) => placeOf(columns, field)));
  const others = columns.flatMap((name, nth): [string, unknown][] => (used.has(nth) ? [] : [[name, cells[nth]]]));
  return [
    {
      kind: 'contact',
      findings,
      contact: {
        externalId,
        email: cellOf('email'),
        phone: cellOf('phone') ?? cellOf('mobile'),
        name: filled([cellOf('first'), cellOf('last')].filter(Boolean).join(' ')),
        data: dataOf([['hubspot_record_id', externalId], ...others], findings),
        createdAt: timeOf(cellOf('created')),
      },
    },
  ];
}
