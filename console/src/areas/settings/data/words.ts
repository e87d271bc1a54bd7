import type { Schemas } from '../../../api/client';

export type Job = Schemas['ContactImport'] | Schemas['Import'] | Schemas['Export'];
type Status = Job['status'];

export const STATES: Record<Status, { name: string; tone: 'plain' | 'good' | 'bad' }> = {
  running: { name: 'Running', tone: 'plain' },
  completed: { name: 'Completed', tone: 'good' },
  failed: { name: 'Failed', tone: 'bad' },
  canceled: { name: 'Canceled', tone: 'plain' },
  expired: { name: 'Expired', tone: 'plain' },
};

export const SOURCES: Record<Schemas['ImportSource'], string> = {
  chatwoot: 'Chatwoot',
  zendesk: 'Zendesk',
  hubspot: 'HubSpot',
};

export const MOVED: Record<Schemas['ImportResource'], string> = {
  contacts: 'Contacts',
  conversations: 'Conversations',
  help_center: 'Help center',
};

export const EXPORTED: Record<Schemas['ExportResource'], string> = {
  contacts: 'Contacts',
  conversations: 'Conversations',
  deliveries: 'Deliveries',
  knowledge: 'Knowledge',
};

export const FORMATS: Record<Schemas['Export']['format'], string> = { csv: 'CSV', ndjson: 'NDJSON' };

/** Returns counts as people say them: 1,204 created, 12 updated. What is none is left out. */
export const countsOf = (counts: [count: number, what: string][]): string =>
  counts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count.toLocaleString()} ${what}`)
    .join(', ');

/** Returns a share as people say it: 37 %. Only what is done has all. */
export const percentOf = (share: number): string => `${Math.min(99, Math.floor(share * 100))} %`;

const UNITS: [name: string, bytes: number][] = [
  ['MB', 1024 ** 2],
  ['kB', 1024],
];

/** Returns the size of a file: 1.2 MB. */
export function shownBytes(bytes: number): string {
  const [name, size] = UNITS.find(([, least]) => bytes >= least) ?? ['bytes', 1];
  return `${(bytes / size).toLocaleString(undefined, { maximumFractionDigits: 1 })} ${name}`;
}
