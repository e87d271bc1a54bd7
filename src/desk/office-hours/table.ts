import type { ColumnType, Generated } from 'kysely';
import type { Holiday, Shift } from './schema.ts';

export interface OfficeHoursTable {
  org_id: string;
  id: string;
  name: string;
  iana_timezone: string;
  shifts: ColumnType<Shift[], string, string>;
  holidays: ColumnType<Holiday[], string, string>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    office_hours: OfficeHoursTable;
  }
}
