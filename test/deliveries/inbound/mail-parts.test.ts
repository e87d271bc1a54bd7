import fc from 'fast-check';
import { textOfBytes } from '../../../src/deliveries/mail/charsets.rules.ts';
import { createMailReader } from '../../../src/deliveries/mail/mail-reader.ts';
import { mailInMemory } from '../../../src/deliveries/mail/raw-mail.ts';
import { mailOf } from '../../support/mails.ts';

/** The parts of a large e-mail. */
const MANY = process.env.TEST_TIER === 'long' ? 10_000 : 1_500;

/** Letters that windows-1252 has at other places than ISO-8859-1. */
const WINDOWS_1252: Record<string, string> = { '–': '\x96', '€': '\x80', '“': '\x93', '”': '\x94' };

const reader = createMailReader();
afterAll(() => reader.close());

const read = async (headers: Record<string, string>, body = '') => {
  const { mail } = await reader.read('org', async () => mailInMemory(Buffer.from(mailOf(headers, body))));
  if (mail === undefined) throw new Error('The e-mail cannot be read');
  return mail;
};

/** A part with its header fields, and the parts of a container. */
const part = (type: string, content: string, ...fields: string[]) =>
  [`Content-Type: ${type}`, ...fields, '', content].join('\r\n');
let boundaries = 0;
const container = (kind: string, ...parts: string[]) => {
  const boundary = `b${++boundaries}`;
  const body = [...parts.map((each) => `--${boundary}\r\n${each}\r\n`), `--${boundary}--`].join('');
  return { type: `multipart/${kind}; boundary="${boundary}"`, body };
};
const mixed = (...parts: string[]) => container('mixed', ...parts);
const inside = ({ type, body }: { type: string; body: string }) => part(type, body);
const readParts = ({ type, body }: { type: string; body: string }) => read({ 'Content-Type': type }, body);
const filesOf = ({ files }: Awaited<ReturnType<typeof read>>) =>
  files.map(({ name, content }) => [name, Buffer.from(content).toString().trim()]);

const TEXT = 'text/plain';
const HTML = 'text/html; charset=utf-8';
const FOOTER = part(TEXT, 'This mail was scanned by Gateway Example.');
const WORDS = part(HTML, '<p>My parcel 4711 arrived broken</p>');
const BOTH = 'My parcel 4711 arrived broken\n\nThis mail was scanned by Gateway Example.';

describe('the parts of an e-mail', () => {
  it.each([
    ['HTML, then a footer as text', mixed(WORDS, FOOTER), BOTH],
    [
      'HTML with an image, then a footer',
      mixed(inside(container('related', WORDS, part('image/png', 'x', 'Content-ID: <1>'))), FOOTER),
      BOTH,
    ],
    ['text, then HTML', mixed(part(TEXT, 'One'), part(HTML, '<p>Two</p>'), part(TEXT, 'Three')), 'One\n\nTwo\n\nThree'],
    ['two HTML parts', mixed(part(HTML, '<body>One</body>'), part(HTML, '<body>Two</body>')), 'One\n\nTwo'],
    [
      'both forms, then a footer',
      mixed(inside(container('alternative', part(TEXT, 'Plain'), part(HTML, 'Rich'))), FOOTER),
      'Plain\n\nThis mail was scanned by Gateway Example.',
    ],
    ['an empty text and HTML', container('alternative', part(TEXT, ' \r\n'), part(HTML, '<p>Rich</p>')), 'Rich'],
    ['HTML before text', container('alternative', part(HTML, '<p>Rich</p>'), part(TEXT, 'Plain')), 'Plain'],
    [
      'a text between files',
      mixed(
        part(TEXT, 'One'),
        part('image/png', 'x', 'Content-Disposition: inline; filename=a.png'),
        part(TEXT, 'Two'),
      ),
      'One\n\nTwo',
    ],
    ['a signed text', container('signed', part(TEXT, 'Mine'), part('application/pgp-signature', 'x')), 'Mine'],
    ['a text whose part has a name', mixed(part('text/plain; name="body.txt"', 'Mine')), 'Mine'],
  ])('are a text in their order: %s', async (_, parts, text) => {
    expect((await readParts(parts)).body.trim()).toBe(text);
  });

  it('show a message within the message below its header, as passed on', async () => {
    const message =
      'From: Bob <bob@x.example>\r\nSubject: Broken\r\nDate: Mon, 4 May 2026 10:00:00 +0000\r\n\r\nIt broke.';
    const { body } = await readParts(
      mixed(part(TEXT, 'See below'), part('message/rfc822', message, 'Content-Disposition: inline')),
    );
    expect(body).toBe(
      'See below\n\n---------- Forwarded message ----------\nFrom: "Bob" <bob@x.example>\nSubject: Broken\nDate: Mon, 04 May 2026 10:00:00 GMT\n\nIt broke.',
    );
  });

  it('leave a named text that is shown inline a file', async () => {
    const notes = part('text/plain; name=notes.txt', 'Serial 12', 'Content-Disposition: inline; filename=notes.txt');
    const mail = await readParts(mixed(WORDS, notes));
    expect([mail.body, filesOf(mail)]).toEqual(['My parcel 4711 arrived broken', [['notes.txt', 'Serial 12']]]);
    const plain = await readParts(
      mixed(part(TEXT, 'See the notes'), notes, part('text/html; name=a.html', '<p>b</p>')),
    );
    expect([plain.body.trim(), filesOf(plain)]).toEqual([
      'See the notes',
      [
        ['notes.txt', 'Serial 12'],
        ['a.html', '<p>b</p>'],
      ],
    ]);
  });

  const event = (uid: string, eol = '\r\n') =>
    ['BEGIN:VCALENDAR', 'METHOD:REQUEST', `UID:${uid}`, 'END:VCALENDAR'].join(eol);
  const invitation = (...attached: string[]) =>
    mixed(
      inside(
        container(
          'alternative',
          part(TEXT, 'Join us'),
          part(HTML, 'Join us'),
          part('text/calendar; method=REQUEST', event('1@x')),
        ),
      ),
      ...attached,
    );
  it.each([
    [
      'once, if it is attached too',
      invitation(
        part(
          'application/ics; name=invite.ics',
          event('1@\r\n x'.replace('\r\n ', '')),
          'Content-Disposition: attachment; filename=invite.ics',
        ),
      ),
      ['invite.ics'],
    ],
    ['with a name, if it is not attached', invitation(), ['invitation.ics']],
    [
      'besides the file of another event',
      invitation(
        part('text/calendar; name=other.ics', event('2@x'), 'Content-Disposition: attachment; filename=other.ics'),
      ),
      ['invitation.ics', 'other.ics'],
    ],
  ])('have an invitation as a file %s', async (_, parts, names) => {
    expect((await readParts(parts)).files.map(({ name }) => name)).toEqual(names);
  });

  it('have no file of a form for other programs', async () => {
    const mail = await readParts(
      container('alternative', part(TEXT, 'Hi'), part('text/x-amp-html', '<html amp4email>'), part(HTML, 'Hi')),
    );
    expect([mail.body.trim(), mail.files]).toEqual(['Hi', []]);
  });
});

it.each([
  [`${MANY} texts`, () => mixed(...Array.from({ length: MANY }, (_, nth) => part(TEXT, `Part ${nth}`)))],
  [`${MANY} files`, () => mixed(...Array.from({ length: MANY }, () => part('text/plain; name=a.txt', 'x')))],
  [
    'a thousand levels',
    () =>
      Array.from({ length: 1_000 }).reduce<ReturnType<typeof mixed>>((inner) => mixed(inside(inner)), mixed(FOOTER)),
  ],
  ['header fields of 2 MB', () => mixed(part(TEXT, 'Hi', `X-Large: ${'x '.repeat(1024 ** 2)}`))],
])('an e-mail of %s harms no e-mail that is read after it', async (_, parts) => {
  const { type, body } = parts();
  const hostile = Buffer.from(mailOf({ 'Content-Type': type }, body));
  const read = await Promise.all(
    [hostile, Buffer.from(mailOf({}, 'Hello')), hostile, Buffer.from(mailOf({}, 'Again'))].map((raw, nth) =>
      reader.read(`org ${nth}`, async () => mailInMemory(raw)),
    ),
  );
  expect([read[1]?.mail?.body.trim(), read[3]?.mail?.body.trim()]).toEqual(['Hello', 'Again']);
});

it(`an e-mail of ${MANY} files is read, and one of more parts than any program writes is not, at once`, async () => {
  const many = (files: number) =>
    mixed(part(TEXT, 'Hi'), ...Array<string>(files).fill(part('text/plain; name=a.txt', 'x')));
  const { files, body } = await readParts(many(MANY));
  expect([files.length, body.trim()]).toEqual([MANY, 'Hi']);
  const begun = performance.now();
  await expect(readParts(many(25_000))).rejects.toThrow('cannot be read');
  expect(performance.now() - begun).toBeLessThan(15_000);
});

describe('a text of format=flowed', () => {
  const flowed = async (lines: string[], more = '') =>
    (
      await read({ 'Content-Type': `text/plain; charset=utf-8; format=flowed${more}` }, lines.join('\r\n'))
    ).body.trimEnd();

  it.each([
    ['lines of one paragraph', ['My parcel ', 'arrived ', 'broken.', 'Ann'], 'My parcel arrived broken.\nAnn'],
    [
      'lines of one quotation',
      ['> Do you agree ', '> to the refund?', 'Yes, I do.'],
      '> Do you agree to the refund?\nYes, I do.',
    ],
  ])('joins %s', async (_, lines, text) => {
    expect(await flowed(lines)).toBe(text);
  });

  it.each([
    [
      'a quotation and its answer',
      ['> Do you agree to the refund? ', 'Yes, I do.'],
      ['> Do you agree to the refund? ', 'Yes, I do.'],
    ],
    ['an answer and a quotation', ['Yes, I do. ', '> And now?'], ['Yes, I do. ', '> And now?']],
    ['quotations of other depths', ['>> Hi ', '> Hello ', '>> Bye'], ['>> Hi ', '> Hello ', '>> Bye']],
    ['a signature', ['Bye ', '-- ', 'Ann'], ['Bye ', '-- ', 'Ann']],
    ['the signature of a quotation', ['> Bye', '> -- ', '> Shop'], ['> Bye', '> -- ', '> Shop']],
  ])('does not join %s', async (_, lines, text) => {
    expect(await flowed(lines)).toBe(text.join('\n'));
  });

  it('has no space that a program put before a line, or that DelSp=yes declares to be none', async () => {
    expect(await flowed([' From me', ' > no quotation'])).toBe('From me\n> no quotation');
    expect(await flowed(['これは ', '文です'], '; delsp=yes')).toBe('これは文です');
  });

  it('takes one pass over a megabyte of lines', async () => {
    const body = await flowed(Array.from({ length: 60_000 }, (_, nth) => `${'>'.repeat(nth % 3)} words `));
    expect(body.startsWith('words \n> words \n>> words \n')).toBe(true);
  });
});

describe('the header of an e-mail', () => {
  it.each([
    ['<m1@x.example> (added by relay)', '<m1@x.example>'],
    ['(by relay <none>) <m1@x.example>', '<m1@x.example>'],
    ['m1@x.example', '<m1@x.example>'],
  ])('names the e-mail by %s', async (id, messageId) => {
    expect((await read({ 'Message-ID': id })).messageId).toBe(messageId);
  });

  it.each([
    [
      'the chain that it continues',
      { References: '<a@x>\r\n <b@x> (was <z@x>)', 'In-Reply-To': '<b@x>' },
      ['<a@x>', '<b@x>'],
    ],
    ['the e-mail that it answers', { 'In-Reply-To': 'Your message of Monday <b@x>' }, ['<b@x>']],
    ['nothing for several answered ones', { 'In-Reply-To': '<a@x> <b@x>' }, []],
    [
      'the first and last of a long chain',
      { References: Array.from({ length: 30 }, (_, nth) => `<${nth}@x>`).join('\r\n ') },
      ['<0@x>', ...Array.from({ length: 19 }, (_, nth) => `<${nth + 11}@x>`)],
    ],
  ])('names %s', async (_, headers, thread) => {
    expect((await read(headers)).thread).toEqual(thread);
  });

  it.each([
    ['Ann@Office.example', 'ann@office.example'],
    ['Ann <ann@office.example>', 'ann@office.example'],
    ['ann@example.com', undefined],
    ['ann@office.example, bob@office.example', undefined],
    ['nobody', undefined],
    ['"a b"@office.example', undefined],
  ])('names where answers go: %s', async (field, replyTo) => {
    expect((await read({ 'Reply-To': field })).replyTo).toBe(replyTo);
  });

  it('names its sender in one line', async () => {
    const mail = await read({ From: '=?utf-8?Q?J=C3=BCrgen=0D=0A_Example?= <j@x.example>' });
    expect([mail.from, mail.fromName]).toEqual(['j@x.example', 'Jürgen Example']);
    expect((await read({ From: 'j@x.example' })).fromName).toBeUndefined();
  });

  it.each([
    ['List-Id', 'Parcels <parcels.x.example>', true],
    ['List-Id', '<parcels.x.example>', true],
    ['List-Post', '<mailto:parcels@x.example>', true],
    ['List-Unsubscribe', '<https://x.example/u>', false],
    ['X-Nothing', 'x', false],
  ])('says by %s: %s whether a program must not answer it', async (name, value, isAutomated) => {
    const mail = await read({ [name]: value });
    expect([mail.isAutomated, mail.isAutomatic]).toEqual([isAutomated, false]);
  });
});

describe('the sender of an e-mail', () => {
  it.each([
    ['Ann <Ann@Example.com>', 'ann@example.com'],
    ['Ann (at (her) desk) <ann(of sales)@example.com(Acme)>', 'ann@example.com'],
    ['"Ann (sales)" <ann@example.com>', 'ann@example.com'],
    ['Jörg <jörg@münchen.example>', 'jörg@münchen.example'],
    ['<b>Ann</b> <ann@example.com>', 'ann@example.com'],
    ['(nobody) <(at all)>', undefined],
    ['"Ann <ann@example.com>" <"a b"@other.example>', undefined],
    ['Ann', undefined],
  ])('%s is %s', async (From, address) => {
    expect((await read({ From }, 'Hi')).from).toBe(address);
  });

  it('has no name where the parser mixes it up with the address', async () => {
    expect((await read({ From: 'Ann (at (her) desk) <ann(of sales)@example.com>' }, 'Hi')).fromName).toBeUndefined();
    expect((await read({ From: 'Ann <ann@example.com>' }, 'Hi')).fromName).toBe('Ann');
  });

  it.each(['', '; charset=us-ascii', '; charset="UTF-8"'])(
    'have letters of windows-1252 under text/plain%s',
    async (charset) => {
      const headers = { From: 'Müller <a@b.example>', Subject: 'Grüße – 5 €', 'Content-Type': `text/plain${charset}` };
      const raw = mailOf(headers, 'Rückzahlung für “Müller”, 10 €');
      const bytes = Buffer.from([...raw].map((letter) => WINDOWS_1252[letter] ?? letter).join(''), 'latin1');
      const { mail } = await reader.read('org', async () => mailInMemory(bytes));
      expect(mail).toMatchObject({
        subject: 'Grüße – 5 €',
        fromName: 'Müller',
        body: 'Rückzahlung für “Müller”, 10 €\n',
      });
    },
  );

  it.each([
    ['no boundary', 'multipart/mixed'],
    ['another boundary', 'multipart/mixed; boundary=other'],
    ['another boundary for alternatives', 'multipart/alternative; boundary="other"'],
  ])('are all of the text if the header names %s', async (_what, type) => {
    const { body } = await read({ 'Content-Type': type }, 'My parcel 4711\r\n\r\narrived broken');
    expect(body).toBe('My parcel 4711\n\narrived broken\n');
  });
});

describe('bytes that are said to be UTF-8', () => {
  it('are the text that they are, if they are', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(fc.property(text, (any) => expect(textOfBytes(Buffer.from(any))).toBe(any)));
  });

  it('have no replacement for any byte', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    fc.assert(fc.property(bytes, (any) => expect(textOfBytes(any)).not.toContain('\uFFFD')));
  });
});
