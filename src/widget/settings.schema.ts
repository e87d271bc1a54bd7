import { z } from 'zod';
import { Id, Language } from '../schemas/parts.ts';
import { originPatternOf } from './origins.rules.ts';

const MAX_QUICK_REPLIES = 6;
const MAX_ORIGINS = 100;
const MAX_URL_LENGTH = 2_048;

export const WidgetAppearance = z.object({
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #1c4fd8')
    .default('#1c4fd8')
    .describe(
      'Of the launcher, the header and the visitor’s messages. The text on it is black or white, whichever is easier to read.',
    ),
  position: z.enum(['right', 'left']).default('right').describe('The lower corner of the page.'),
  logo: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .max(MAX_URL_LENGTH)
    .nullable()
    .default(null)
    .describe('A square picture in the header. Its server must allow other origins to read it (CORS).'),
  greeting: z.string().trim().min(1).max(1_000).nullable().default(null).describe('The first words of an empty chat.'),
  launcher: z
    .string()
    .trim()
    .min(1)
    .max(40)
    .nullable()
    .default(null)
    .describe('Words on the launcher, beside its icon.'),
});

export const WidgetCollect = z
  .object({ name: z.boolean().default(false), email: z.boolean().default(false) })
  .describe('What a visitor is asked before the first message. Nobody checks it.');

export const WidgetAi = z.object({
  name: z.string().trim().min(1).max(60).default('AI assistant').describe('Shown with each message of the AI.'),
  disclosure: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .nullable()
    .default(null)
    .describe('A sentence about the AI, above the field.'),
});

const Origin = z
  .string()
  .max(300)
  .refine(
    (text) => originPatternOf(text) !== undefined,
    'must be an origin such as https://shop.example or https://*.shop.example',
  )
  .overwrite((text) => originPatternOf(text) ?? text);

/** How the org's widget looks and where it may be. What is absent has its default. */
export const WidgetSettings = z
  .object({
    appearance: WidgetAppearance.prefault({}),
    collect: WidgetCollect.prefault({}),
    office_hours_id: Id.nullable()
      .default(null)
      .describe('Outside of these office hours the widget says when people answer next.'),
    ai: WidgetAi.prefault({}),
    files: z.boolean().default(true).describe('Whether visitors may send files.'),
    quick_replies: z
      .array(z.string().trim().min(1).max(80))
      .max(MAX_QUICK_REPLIES)
      .default([])
      .describe('Offered as the first message.'),
    languages: z
      .array(Language)
      .min(1)
      .nullable()
      .default(null)
      .describe('The languages of the widget’s own words. null: all that it has.'),
    allowed_origins: z
      .array(Origin)
      .min(1)
      .max(MAX_ORIGINS)
      .nullable()
      .default(null)
      .describe('The pages that may use the widget. Requests from other pages are refused (403). null: all pages.'),
  })
  .meta({
    id: 'WidgetSettings',
    examples: [
      {
        appearance: { color: '#0f766e', greeting: 'Hello! How can we help?' },
        collect: { email: true },
        quick_replies: ['Where is my order?'],
        allowed_origins: ['https://shop.example'],
      },
    ],
  });
export type WidgetSettings = z.output<typeof WidgetSettings>;
