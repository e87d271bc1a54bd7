import fc from 'fast-check';
import { renderTemplate } from '../../../src/sequences/steps/whatsapp-template.rules.ts';
import {
  WhatsAppTemplateMapping,
  type WhatsAppVariable,
} from '../../../src/sequences/steps/whatsapp-template.schema.ts';
import { type FakeTemplate, refusalOf } from '../../support/fakes/meta-templates.ts';
import { cpuTimeOf } from '../../support/measure.ts';

type Contact = Parameters<typeof renderTemplate>[1];

const ADA: Contact = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  phone_number: '+16505551234',
  custom_data: {
    plan: 'gold',
    seats: 3,
    is_vip: false,
    address: { city: 'London' },
    tags: ['a'],
    none: null,
    void: ' ',
  },
};
const NOBODY: Contact = { name: null, email: null, phone_number: null, custom_data: {} };

const constant = (value: string): WhatsAppVariable => ({ type: 'CONSTANT', value });
const dynamic = (ref: string, fallback = 'fallback'): WhatsAppVariable => ({ type: 'DYNAMIC', ref, fallback });
const global = (ref: 'CONTACT_NAME' | 'CONTACT_EMAIL' | 'CONTACT_NUMBER', fallback = 'fallback'): WhatsAppVariable => ({
  type: 'GLOBAL_DYNAMIC',
  ref,
  fallback,
});
const bodyOf = (...variables: WhatsAppVariable[]): WhatsAppTemplateMapping => ({
  body: { type: 'body', parameters: variables.map((text) => ({ type: 'text', text })) },
});
const textOf = (variable: WhatsAppVariable, contact = ADA) =>
  renderTemplate(bodyOf(variable), contact)[0]?.parameters[0]?.text;

describe('the value of a placeholder', () => {
  it.each([
    ['a constant', constant('Hello'), 'Hello'],
    ['the name', global('CONTACT_NAME'), 'Ada Lovelace'],
    ['the e-mail address', global('CONTACT_EMAIL'), 'ada@example.com'],
    ['the number', global('CONTACT_NUMBER'), '+16505551234'],
    ['a text of custom_data', dynamic('plan'), 'gold'],
    ['a number of custom_data', dynamic('seats'), '3'],
    ['a boolean of custom_data', dynamic('is_vip'), 'false'],
    ['an object of custom_data', dynamic('address'), 'fallback'],
    ['a list of custom_data', dynamic('tags'), 'fallback'],
    ['null of custom_data', dynamic('none'), 'fallback'],
    ['a blank text of custom_data', dynamic('void'), 'fallback'],
    ['an unknown key', dynamic('unknown'), 'fallback'],
    ['a key inherited by every object', dynamic('constructor'), 'fallback'],
  ])('is right for %s', (_, variable, expected) => {
    expect(textOf(variable)).toBe(expected);
  });

  it.each(['CONTACT_NAME', 'CONTACT_EMAIL', 'CONTACT_NUMBER'] as const)('is the fallback if %s is missing', (ref) => {
    expect(textOf(global(ref), NOBODY)).toBe('fallback');
  });

  it.each(['', ' ', '\t\n', '\u00a0'])('is the fallback if the name is %j', (name) => {
    expect(textOf(global('CONTACT_NAME'), { ...ADA, name })).toBe('fallback');
  });

  it.each([
    ['12 Main St\nLondon', '12 Main St London'],
    ['a \r\n\t b', 'a b'],
    ['a    b', 'a    b'],
    ['a     b', 'a b'],
    ['  a  ', 'a'],
    ['10\u00a0€', '10\u00a0€'],
  ])('contains only white space accepted by WhatsApp: %j becomes %j', (value, expected) => {
    expect(textOf(constant(value))).toBe(expected);
    expect(textOf(dynamic('plan', value), NOBODY)).toBe(expected);
  });
});

describe('the components of a template', () => {
  it('are those of the mapping, in Meta’s format', () => {
    const mapping: WhatsAppTemplateMapping = {
      header: { type: 'header', parameters: [{ type: 'text', text: constant('Sale'), parameter_name: 'event' }] },
      body: { type: 'body', parameters: [{ type: 'text', text: global('CONTACT_NAME'), parameter_name: 'name' }] },
      buttons: [
        { type: 'button', index: '0', sub_type: 'url', parameters: [{ type: 'text', text: dynamic('plan') }] },
        { type: 'button', index: '2', sub_type: 'url', parameters: [{ type: 'text', text: constant('b') }] },
      ],
    };
    expect(renderTemplate(WhatsAppTemplateMapping.parse(mapping), ADA)).toEqual([
      { type: 'header', parameters: [{ type: 'text', text: 'Sale', parameter_name: 'event' }] },
      { type: 'body', parameters: [{ type: 'text', text: 'Ada Lovelace', parameter_name: 'name' }] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'gold' }] },
      { type: 'button', sub_type: 'url', index: '2', parameters: [{ type: 'text', text: 'b' }] },
    ]);
  });

  it.each([
    [
      { type: 'image' as const, image: { link: constant('https://a.example/a.png') } },
      { type: 'image', image: { link: 'https://a.example/a.png' } },
    ],
    [
      { type: 'video' as const, video: { link: dynamic('clip', 'https://a.example/a.mp4') } },
      { type: 'video', video: { link: 'https://a.example/a.mp4' } },
    ],
    [
      { type: 'document' as const, document: { link: constant(' https://a.example/a.pdf ') } },
      { type: 'document', document: { link: 'https://a.example/a.pdf' } },
    ],
    [
      {
        type: 'location' as const,
        location: {
          latitude: constant('37.483307'),
          longitude: dynamic('longitude'),
          name: constant("Pablo's"),
          address: dynamic('street', '1 Hacker Way'),
        },
      },
      {
        type: 'location',
        location: { latitude: '37.483307', longitude: '-122.148981', name: "Pablo's", address: '1 Hacker Way' },
      },
    ],
  ])('include a header of each kind: %j', (parameter, expected) => {
    const contact = { ...ADA, custom_data: { longitude: -122.148981 } };
    expect(renderTemplate({ header: { type: 'header', parameters: [parameter] } }, contact)).toEqual([
      { type: 'header', parameters: [expected] },
    ]);
  });

  it('are left out if there is nothing to fill', () => {
    expect(renderTemplate({}, ADA)).toEqual([]);
    const empty: WhatsAppTemplateMapping = {
      header: { type: 'header', parameters: [] },
      body: { type: 'body', parameters: [] },
      buttons: [{ type: 'button', index: '0', sub_type: 'url', parameters: [] }],
    };
    expect(renderTemplate(empty, ADA)).toEqual([]);
  });
});

/** Generates text with a lot of white space. */
const spacious = fc
  .array(fc.oneof(fc.string(), fc.constantFrom(' ', '     ', '\n', '\t', '\r\n', '\u2028', '\u00a0')))
  .map((parts) => parts.join(''));
const solid = spacious.filter((text) => text.trim() !== '');
const contacts: fc.Arbitrary<Contact> = fc.record({
  name: fc.option(spacious),
  email: fc.option(fc.constant('ada@example.com')),
  phone_number: fc.option(fc.constant('+16505551234')),
  custom_data: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(spacious, fc.jsonValue())),
});
const variables: fc.Arbitrary<WhatsAppVariable> = fc.oneof(
  fc.record({ type: fc.constant('CONSTANT' as const), value: solid }),
  fc.record({ type: fc.constant('DYNAMIC' as const), ref: fc.constantFrom('a', 'b', 'c', 'd'), fallback: solid }),
  fc.record({
    type: fc.constant('GLOBAL_DYNAMIC' as const),
    ref: fc.constantFrom('CONTACT_NAME' as const, 'CONTACT_EMAIL' as const, 'CONTACT_NUMBER' as const),
    fallback: solid,
  }),
);

describe('for any contact', () => {
  it('WhatsApp accepts a template with non-blank fallbacks', () => {
    fc.assert(
      fc.property(contacts, variables, fc.array(variables), variables, (contact, header, body, button) => {
        const mapping: WhatsAppTemplateMapping = {
          header: { type: 'header', parameters: [{ type: 'text', text: header }] },
          ...bodyOf(...body),
          buttons: [{ type: 'button', index: '0', sub_type: 'url', parameters: [{ type: 'text', text: button }] }],
        };
        const components = renderTemplate(mapping, contact) as Parameters<typeof refusalOf>[1]['components'];
        const template = { name: 'x', language: { code: 'en' }, components };
        expect(refusalOf([templateOf(body.length)], template)).toBeUndefined();
      }),
    );
  });

  it('a value accepted by WhatsApp is sent unchanged, and every value keeps all its words', () => {
    fc.assert(
      fc.property(solid, (name) => {
        const text = textOf(global('CONTACT_NAME'), { ...ADA, name }) as string;
        expect(text.split(/\s+/)).toEqual(name.trim().split(/\s+/));
        expect(textOf(constant(text))).toBe(text);
      }),
    );
  });

  it('the mapping is not modified', () => {
    fc.assert(
      fc.property(contacts, fc.array(variables), (contact, body) => {
        const mapping = bodyOf(...body);
        const before = structuredClone(mapping);
        expect(renderTemplate(mapping, contact)).toEqual(renderTemplate(mapping, contact));
        expect(mapping).toEqual(before);
      }),
    );
  });

  it('a very long run of white space is rendered within a second', () => {
    const [text, cpuMs] = cpuTimeOf(() => textOf(constant(`a${'\u00a0'.repeat(200_000)}b`)));
    expect(text).toBe('a b');
    expect(cpuMs).toBeLessThan(1_000);
  });
});

const templateOf = (places: number): FakeTemplate => ({
  id: '1',
  name: 'x',
  language: 'en',
  components: [
    { type: 'HEADER', format: 'TEXT', text: '{{1}}' },
    { type: 'BODY', text: Array.from({ length: places }, (_, place) => `{{${place + 1}}}`).join(' ') },
    { type: 'BUTTONS', buttons: [{ type: 'URL', url: 'https://a.example/{{1}}' }] },
  ],
});
