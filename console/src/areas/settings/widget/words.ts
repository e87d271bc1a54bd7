import type { Specs } from '../../../ui/forms/spec';

/** The settings of the widget, each under its name in the API. */
export const WIDGET_SPECS = {
  'appearance.color': {
    kind: 'text',
    type: 'color',
    label: 'Colour',
    hint: 'Of the launcher, the header and the visitor’s messages.',
  },
  'appearance.position': {
    kind: 'choice',
    label: 'Place',
    options: [
      ['right', 'At the right'],
      ['left', 'At the left'],
    ],
  },
  'appearance.launcher': { kind: 'text', label: 'Words on the launcher', maxLength: 40 },
  'appearance.logo': {
    kind: 'text',
    type: 'url',
    label: 'Logo',
    maxLength: 2048,
    hint: 'The address of a square picture. Its server must allow other origins to read it.',
  },
  'appearance.greeting': { kind: 'long', label: 'First words', maxLength: 1_000, rows: 2 },
  'collect.name': { kind: 'check', label: 'Asks for the name first' },
  'collect.email': { kind: 'check', label: 'Asks for the e-mail address first' },
  files: { kind: 'check', label: 'Visitors may send files' },
  'ai.name': { kind: 'text', label: 'Name of the AI', maxLength: 60 },
  'ai.disclosure': { kind: 'text', label: 'Sentence about the AI, above the field', maxLength: 500 },
  quick_replies: { kind: 'lines', label: 'Offered as the first message, one a line' },
  languages: {
    kind: 'lines',
    rows: 2,
    label: 'Languages of its words, one a line',
    hint: 'Such as en. Empty: all that it has.',
  },
  allowed_origins: {
    kind: 'lines',
    rows: 2,
    label: 'Pages that may use it, one a line',
    hint: 'Such as https://www.example.com. Empty: all pages.',
  },
} satisfies Specs;
