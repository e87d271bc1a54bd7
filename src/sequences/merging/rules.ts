/** An enrollment of one of two contacts to be merged. */
export interface EnrollmentState {
  id: string;
  sequence_id: string;
  contact_id: string;
  status: string;
  /** The position of the last step that was sent, is being sent, or was passed; -1 at the beginning. */
  reached: number;
}

/** Two enrollments of one person in one sequence. */
export interface EnrollmentConflict {
  /** The one that stays the contact's. */
  keptId: string;
  /** The one that ends. */
  endedId: string;
}

/**
 * Decides which of two enrollments in one sequence stays the contact's. One that has ended comes first: who has left the
 * sequence, or has got all of it, gets nothing more. Of two others it is the one further ahead, as the steps before it
 * were sent. Between equals it is the one of the contact that stays.
 */
export function conflictsOf(enrollments: EnrollmentState[], survivorId: string): EnrollmentConflict[] {
  const bySequence = Map.groupBy(enrollments, ({ sequence_id }) => sequence_id);
  return [...bySequence.values()].flatMap((both) => {
    const own = both.find(({ contact_id }) => contact_id === survivorId);
    const other = both.find(({ contact_id }) => contact_id !== survivorId);
    if (own === undefined || other === undefined) return [];
    const isOwnKept = rankOf(own) >= rankOf(other);
    return [isOwnKept ? { keptId: own.id, endedId: other.id } : { keptId: other.id, endedId: own.id }];
  });
}

const rankOf = ({ status, reached }: EnrollmentState) => (status === 'active' ? reached : Number.POSITIVE_INFINITY);
