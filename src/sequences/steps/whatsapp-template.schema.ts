import { z } from 'zod';

const Text = z.string().max(4096);
const isNotBlank = (text: string) => text.trim() !== '';
const ParameterName = z.string().min(1).max(255);

/** A value of a template: taken from the contact, or the same for all. */
const WhatsAppVariable = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('GLOBAL_DYNAMIC'),
      ref: z.enum(['CONTACT_NAME', 'CONTACT_EMAIL', 'CONTACT_NUMBER']),
      fallback: Text,
    }),
    z.strictObject({ type: z.literal('DYNAMIC'), ref: z.string().min(1).max(255), fallback: Text }),
    z.strictObject({
      type: z.literal('CONSTANT'),
      value: Text.refine(isNotBlank, 'must not be blank: WhatsApp refuses it'),
    }),
  ])
  .meta({ id: 'WhatsAppVariable' });
export type WhatsAppVariable = z.infer<typeof WhatsAppVariable>;

const TextParameter = z.strictObject({
  type: z.literal('text'),
  text: WhatsAppVariable,
  parameter_name: ParameterName.optional(),
});

const HeaderParameter = z.discriminatedUnion('type', [
  TextParameter,
  z.strictObject({ type: z.literal('image'), image: z.strictObject({ link: WhatsAppVariable }) }),
  z.strictObject({ type: z.literal('video'), video: z.strictObject({ link: WhatsAppVariable }) }),
  z.strictObject({ type: z.literal('document'), document: z.strictObject({ link: WhatsAppVariable }) }),
  z.strictObject({
    type: z.literal('location'),
    location: z.strictObject({
      latitude: WhatsAppVariable,
      longitude: WhatsAppVariable,
      name: WhatsAppVariable,
      address: WhatsAppVariable,
    }),
  }),
]);

const isNamedThroughout = (parameters: { parameter_name?: string | undefined }[]) =>
  new Set(parameters.map(({ parameter_name }) => parameter_name !== undefined)).size <= 1;
const NAMED_THROUGHOUT = 'either every parameter has a parameter_name or none has';

/** The values of a template's placeholders (header, body, buttons). */
export const WhatsAppTemplateMapping = z
  .strictObject({
    header: z
      .strictObject({
        type: z.literal('header'),
        parameters: z
          .array(HeaderParameter)
          .max(20)
          .refine((items) => isNamedThroughout(items.filter((item) => item.type === 'text')), NAMED_THROUGHOUT),
      })
      .optional(),
    body: z
      .strictObject({
        type: z.literal('body'),
        parameters: z.array(TextParameter).max(100).refine(isNamedThroughout, NAMED_THROUGHOUT),
      })
      .optional(),
    buttons: z
      .array(
        z.strictObject({
          type: z.literal('button'),
          index: z.string().regex(/^[0-9]$/, "must be '0' to '9'"),
          sub_type: z.literal('url'),
          parameters: z.array(z.strictObject({ type: z.literal('text'), text: WhatsAppVariable })).max(10),
        }),
      )
      .max(10)
      .optional(),
  })
  .meta({ id: 'WhatsAppTemplateMapping' });
export type WhatsAppTemplateMapping = z.infer<typeof WhatsAppTemplateMapping>;
