import { Fragment, type ReactNode } from 'react';
import type { Schemas } from '../../../api/client';
import { lazily } from '../../../ui/lazily';
import { shownFully } from '../../../ui/times/moments';

const SegmentName = lazily(async () => (await import('./audience-names')).SegmentName);
const SequenceName = lazily(async () => (await import('./audience-names')).SequenceName);

type Condition = Exclude<Schemas['ContactCondition'], { type: 'all_contacts' }>;

const MAX_NAMED = 5;

/** Who a filter finds, in words. Segments and sequences are links by their names. */
export const Audience = ({ filter }: { filter: Schemas['ContactsFilter'] | null }) =>
  filter === null
    ? 'all contacts'
    : joined(
        filter.or.map(({ and }) => <Group key={JSON.stringify(and)} conditions={and} />),
        '; or ',
      );

const Group = ({ conditions }: { conditions: Schemas['ContactCondition'][] }) => {
  const narrowing = conditions.flatMap((one) => (one.type === 'all_contacts' ? [] : conditionOf(one)));
  return narrowing.length === 0 ? 'all contacts' : <>contacts {joined(narrowing, ', and ')}</>;
};

const joined = (parts: ReactNode[], between: string): ReactNode =>
  parts.map((part, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a filter have no other key
    <Fragment key={n}>
      {n > 0 && between}
      {part}
    </Fragment>
  ));

function conditionOf(condition: Condition): ReactNode {
  switch (condition.type) {
    case 'contact_id_in':
      return `who were chosen one by one (${condition.contact_ids.length})`;
    case 'contacts_email_domain_name_in':
      return `whose e-mail address is at ${oneOf(condition.domain_name_in)}`;
    case 'contacts_email_in':
      return `whose e-mail address is ${oneOf(condition.email_in)}`;
    case 'contacts_phone_number_in':
      return `whose phone number is ${oneOf(condition.phone_number_in)}`;
    case 'contacts_name_in':
      return `whose name is ${oneOf(condition.name_in)}`;
    case 'contacts_external_id_in':
      return `whose id in another system is ${oneOf(condition.external_id_in)}`;
    case 'contacts_attributes_in':
      return `whose ${fieldsOf(condition.attributes)}`;
    case 'contacts_sessions_attributes_in':
      return `with a conversation whose ${fieldsOf(condition.attributes)}`;
    case 'contacts_affected_by_sequence':
      return (
        <>
          who were enrolled in <SequenceName id={condition.sequence_id} />
        </>
      );
    case 'contact_belongs_to_segment':
      return (
        <>
          in <SegmentName id={condition.segment_id} />
        </>
      );
    case 'contacts_created_at_between':
      return `created ${between(condition)}`;
    case 'last_contacted_at_between':
      return `last contacted ${between(condition)}`;
    case 'last_contacted_at_with_handoff_between':
      return `last contacted in a conversation with a person ${between(condition)}`;
  }
}

function oneOf(values: string[]): string {
  if (values.length === 0) return 'none of those named (nobody)';
  const more = values.length - MAX_NAMED;
  return more > 0 ? `${values.slice(0, MAX_NAMED).join(', ')} or one of ${more} more` : values.join(' or ');
}

const fieldsOf = (objects: Record<string, string>[] = []): string =>
  oneOf(
    objects.map((fields) =>
      Object.entries(fields)
        .map(([name, value]) => `${name} is ${value}`)
        .join(' and '),
    ),
  );

const between = ({ after, before }: { after?: string; before?: string }): string =>
  [after !== undefined && `after ${shownFully(after)}`, before !== undefined && `before ${shownFully(before)}`]
    .filter((bound) => bound !== false)
    .join(' and ') || 'at any time';
