import { z } from 'zod';
import { Id, Time } from '../../schemas/parts.ts';

const MAX_GROUPS = 20;
const MAX_CONDITIONS_PER_GROUP = 20;
const MAX_VALUES = 1000;
const MAX_ATTRIBUTE_OBJECTS = 100;
const MAX_ATTRIBUTES = 50;

const DateTime = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 date-time, such as 2026-01-31T12:00:00Z' });

/** A point in time of the contact search, which accepts dates and milliseconds too. */
const LooseTime = z
  .union([Time, z.iso.date(), z.int().min(0).max(253_402_300_799_999), z.null()], {
    error: 'must be an ISO 8601 date-time or date, or milliseconds since 1970',
  })
  .describe('An ISO 8601 date-time or date, or milliseconds since 1970.');

const Texts = z.array(z.string().max(255)).max(MAX_VALUES);

/** Objects of string values: a match has every pair of at least one of them. */
export const AttributeObjects = z
  .array(
    z
      .record(z.string().max(255), z.string().max(5000))
      .refine((map) => Object.keys(map).length <= MAX_ATTRIBUTES, `must have at most ${MAX_ATTRIBUTES} keys`)
      .meta({ maxProperties: MAX_ATTRIBUTES }),
  )
  .max(MAX_ATTRIBUTE_OBJECTS);

const Attributes = AttributeObjects.optional().describe(
  'A contact matches when it has every pair of at least one of the objects. No object: none matches.',
);

const strictBounds = { after: DateTime.optional(), before: DateTime.optional() };
const looseBounds = { after: LooseTime.optional(), before: LooseTime.optional() };

const contactIdIn = { type: z.literal('contact_id_in'), contact_ids: z.array(Id).max(MAX_VALUES) };
const emailDomainIn = { type: z.literal('contacts_email_domain_name_in'), domain_name_in: Texts };
const affectedBySequence = {
  type: z.literal('contacts_affected_by_sequence'),
  sequence_id: z.string().min(1).max(255).describe('The id or custom_id of a sequence.'),
};
const nameIn = { type: z.literal('contacts_name_in'), name_in: z.array(z.string().max(1000)).max(MAX_VALUES) };
const phoneNumberIn = { type: z.literal('contacts_phone_number_in'), phone_number_in: Texts };
const emailIn = { type: z.literal('contacts_email_in'), email_in: Texts };
const externalIdIn = { type: z.literal('contacts_external_id_in'), external_id_in: Texts };
const attributesIn = { type: z.literal('contacts_attributes_in'), attributes: Attributes };

const FullCondition = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('all_contacts') }),
    z.strictObject(contactIdIn),
    z.strictObject({ type: z.literal('contacts_created_at_between'), ...strictBounds }),
    z.strictObject(emailDomainIn),
    z.strictObject(affectedBySequence),
    z.strictObject(nameIn),
    z.strictObject(phoneNumberIn),
    z.strictObject(emailIn),
    z.strictObject(externalIdIn),
    z.strictObject(attributesIn),
    z.strictObject({
      type: z.literal('contacts_sessions_attributes_in'),
      attributes: Attributes.describe(
        'A contact matches when one of its sessions has every pair of at least one of the objects.',
      ),
    }),
    z.strictObject({ type: z.literal('contact_belongs_to_segment'), segment_id: z.string().min(1).max(255) }),
    z.strictObject({ type: z.literal('last_contacted_at_between'), ...strictBounds }),
    z.strictObject({ type: z.literal('last_contacted_at_with_handoff_between'), ...strictBounds }),
  ])
  .meta({ id: 'ContactCondition' });

const PublicCondition = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('all_contacts') }),
    z.object(contactIdIn),
    z.object({ type: z.literal('contacts_created_at_between'), ...looseBounds }),
    z.object(emailDomainIn),
    z.object(affectedBySequence),
    z.object(nameIn),
    z.object(phoneNumberIn),
    z.object(emailIn),
    z.object(externalIdIn),
    z.object(attributesIn),
    z.object({ type: z.literal('last_contacted_at_between'), ...looseBounds }),
  ])
  .meta({ id: 'PublicContactCondition' });

const EXAMPLE = {
  or: [
    { and: [{ type: 'contacts_email_domain_name_in', domain_name_in: ['example.com'] }] },
    { and: [{ type: 'contacts_attributes_in', attributes: [{ plan: 'pro' }] }] },
  ],
};

/** A filter of sequences, segments and SLA policies. Unknown properties are refused. */
export const FullFilter = z
  .strictObject({
    or: z
      .array(
        z
          .strictObject({ and: z.array(FullCondition).max(MAX_CONDITIONS_PER_GROUP) })
          .meta({ id: 'ContactsFilterGroup' }),
      )
      .min(1)
      .max(MAX_GROUPS),
  })
  .meta({ id: 'ContactsFilter', description: 'OR between groups, AND inside a group.', examples: [EXAMPLE] });
export type FullFilter = z.infer<typeof FullFilter>;

/** A filter of the contact search. It has fewer types of conditions, and ignores unknown properties. */
export const PublicFilter = z
  .object({
    or: z
      .array(
        z
          .object({ and: z.array(PublicCondition).max(MAX_CONDITIONS_PER_GROUP) })
          .meta({ id: 'PublicContactsFilterGroup' }),
      )
      .min(1)
      .max(MAX_GROUPS),
  })
  .meta({ id: 'PublicContactsFilter', description: 'OR between groups, AND inside a group.', examples: [EXAMPLE] });
export type PublicFilter = z.infer<typeof PublicFilter>;

/** A condition of either kind of filter. */
export type ContactCondition = z.infer<typeof FullCondition> | z.infer<typeof PublicCondition>;

/** A filter of either kind: OR between groups, AND inside a group. */
export interface ContactFilter {
  or: { and: ContactCondition[] }[];
}
