import type { Generated } from 'kysely';

export interface DeliveryCallbacksTable {
  org_id: string;
  provider: string;
  provider_id: string;
  status: string;
  delivery_id: string | null;
  reason: string | null;
  received_at: Generated<Date>;
}

declare module '../../db/database.ts' {
  interface Database {
    delivery_callbacks: DeliveryCallbacksTable;
  }
}
