import type { Db } from '../../db/connect.ts';
import type { ConfirmationsPort } from './confirmations.port.ts';
import { listRows, type SelectedRow, type SessionKey } from './rows.queries.ts';
import type { InboxRow } from './schema.ts';

/** A session as shown in lists, for any of the members with marks read. */
export interface SharedRow {
  orgId: string;
  id: string;
  /** Returns it as a member sees it, or a program. */
  rowFor(memberId: number | null): InboxRow;
}

/** Reads sessions of any orgs as lists show them, for members. Deleted ones are left out. */
export async function readRows(
  db: Db,
  keys: SessionKey[],
  memberIds: number[],
  confirmations: ConfirmationsPort,
): Promise<SharedRow[]> {
  const rows = keys.length === 0 ? [] : await listRows(db, keys, memberIds, confirmations);
  return rows.map((row) => ({ orgId: row.org_id, id: row.id, rowFor: (memberId) => rowOf(row, memberId) }));
}

/**
 * Returns a session as lists show it to a member, or to a program. Fields missing from the answer's schema are dropped
 * from it.
 */
export const rowOf = (row: SelectedRow, memberId: number | null): InboxRow => ({
  ...row,
  custom_status: row.custom_status_id === null ? null : { id: row.custom_status_id, name: row.custom_status_name },
  contact: contactOf(row),
  assignee:
    row.assignee_id === null || row.assignee_name === null ? null : { id: row.assignee_id, name: row.assignee_name },
  team: row.team_id === null || row.team_name === null ? null : { id: row.team_id, name: row.team_name },
  last_message:
    row.said_at === null || row.said_by === null ? null : { at: row.said_at, sender: row.said_by, text: row.said },
  sla:
    row.sla_metric === null || row.sla_due_at === null
      ? null
      : { metric: row.sla_metric, due_at: row.sla_due_at, state: row.sla_state },
  unread: memberId === null ? null : isUnread(row, memberId),
});

const contactOf = (row: SelectedRow): InboxRow['contact'] =>
  row.contact_id === null
    ? null
    : {
        id: row.contact_id,
        name: row.contact_name,
        email: row.contact_email,
        phone_number: row.contact_phone_number,
      };

function isUnread({ last_contact_seq, marks }: SelectedRow, memberId: number): boolean {
  const mark = marks[memberId];
  return mark === undefined ? last_contact_seq > 0 : mark.is_unread || mark.seq < last_contact_seq;
}
