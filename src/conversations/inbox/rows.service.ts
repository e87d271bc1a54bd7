import type { Db } from '../../db/connect.ts';
import type { ConfirmationsPort } from './confirmations.port.ts';
import { listRows, type SelectedRow, type SessionKey } from './rows.queries.ts';
import type { InboxRow } from './schema.ts';

/** A session as lists show it, for any of the members whose marks were read. */
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

/** Returns a session as lists show it to a member, or to a program. */
export function rowOf(selected: SelectedRow, memberId: number | null): InboxRow {
  const { org_id, last_contact_seq, marks, said_at, said_by, said, sla_metric, sla_due_at, sla_state, ...row } =
    selected;
  return {
    ...row,
    last_message: said_at === null || said_by === null ? null : { at: said_at, sender: said_by, text: said },
    sla:
      sla_metric === null || sla_due_at === null ? null : { metric: sla_metric, due_at: sla_due_at, state: sla_state },
    unread: memberId === null ? null : isUnread(selected, memberId),
  };
}

function isUnread({ last_contact_seq, marks }: SelectedRow, memberId: number): boolean {
  const mark = marks[memberId];
  return mark === undefined ? last_contact_seq > 0 : mark.is_unread || mark.seq < last_contact_seq;
}
