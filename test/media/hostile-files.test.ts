import { deflateRawSync } from 'node:zlib';
import { attachmentNamed, cleanFileName } from '../../src/media/file-names.rules.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';
import { compoundFileOf, EXECUTABLE, formWith, PNG, rawForm, SAMPLES, zipOf } from './samples.ts';

const PNG_TYPE = { mime: 'image/png', extensions: ['png'] } as const;
const GIF_TYPE = { mime: 'image/gif', extensions: ['gif'] } as const;
const TEXT_TYPE = { mime: 'text/plain', extensions: ['txt', 'log'] } as const;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const upload = (content: Uint8Array | string, fileName: string, type = 'image/png') =>
  api.org.post('/media', formWith(Buffer.from(content), fileName, { type }));

describe('an uploaded file of a forged type', () => {
  const bomb = deflateRawSync(Buffer.alloc(50 * 1024 ** 2));
  const pe = Buffer.concat([EXECUTABLE, Buffer.from('PE\0\0')]);
  const refused: [string, Uint8Array | string, RegExp][] = [
    ['cat.png', pe, /x-msdownload/],
    ['cat.png', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, ...Array(60).fill(0)]), /x-elf/],
    ['cat.png', Buffer.from([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, ...Array(60).fill(0)]), /java|macho|x-/i],
    ['cat.png', zipOf({ 'bomb.bin': bomb }), /application\/zip/],
    ['report.docx', zipOf({ 'META-INF/MANIFEST.MF': 'x', 'a.class': 'x' }), /java-archive/],
    [
      'report.docx',
      zipOf({ '[Content_Types].xml': 'ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"' }),
      /macroenabled/,
    ],
    ['cat.png', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', /SVG/],
    [
      'cat.svg',
      '<?xml version="1.0"?>\n<!DOCTYPE svg>\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      /SVG/,
    ],
    ['old.doc', compoundFileOf('WordDocument'), /x-cfb/],
    ['list.xls', compoundFileOf('WordDocument'), /x-cfb/],
    ['setup.xls', compoundFileOf('Property', 'Data'), /x-cfb/],
    ['list.xls', compoundFileOf('Workbook', '_VBA_PROJECT_CUR', 'VBA'), /macros/],
    ['list.xls', compoundFileOf('Workbook').subarray(0, 600), /x-cfb/],
    ['list.xls', compoundFileOf('Workbook').fill(0xff, 30, 32), /x-cfb/],
    ['list.xls', compoundFileOf('a', 'b', 'c', 'd').fill(0, 512 + 4, 512 + 16), /x-cfb/],
    [
      'film.webm',
      Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x8b, 0x42, 0x82, 0x88, ...Buffer.from('matroska')]),
      /matroska/,
    ],
    ['film.mov', EXECUTABLE, /UTF-8|msdownload/],
    ['cat.svg', '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script/></s:svg><svg:svg/>', /SVG/],
    ['note.txt', '<!DOCTYPE html><p>hello', /HTML/],
    ['note.txt', '\ufeff \n\t<HtMl><body>', /HTML/],
    ['note.txt', '<script>alert(1)</script>', /HTML/],
    ['note.txt', 'hello <script src=//evil.example/x.js></script>', /HTML/],
    ['note.csv', 'a;b\n<img src=x onerror=alert(1)>;c', /HTML/],
    ['note.txt', '<!-- --><iframe src=javascript:alert(1)>', /HTML/],
    ['note.txt', '<?xml version="1.0"?><x/>', /XML/],
    ['note.txt', '<?php system($_GET[0]); ?>', /PHP/],
    ['note.txt', '#!/bin/sh\nrm -rf ~\n', /script/],
    ['note.txt', '{\\rtf1\\ansi x}', /RTF/],
    ['note.txt', '%!PS-Adobe-3.0\n', /PostScript/],
    ['cat.gif', 'GIF89a/*<script>*/=alert(1)//</script>', /HTML/],
    ['note.txt', Buffer.from('Grüße', 'latin1'), /not text in UTF-8/],
    ['note.txt', Buffer.from('\ufeffUTF-16', 'utf16le'), /UTF-8/],
    ['note.txt', 'a\0b', /UTF-8/],
    ['note.txt', Buffer.concat([Buffer.from('x'.repeat(70_000)), Buffer.from([0xc3])]), /UTF-8/],
    ['cat.bmp', Buffer.from([0x42, 0x4d, 0, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0]), /bmp/],
    ['cat.png', Buffer.alloc(1_000), /UTF-8/],
  ];

  it.each(refused)('an upload of %s is a 415 that names its real type: %#', async (fileName, content, message) => {
    const { status, body } = await upload(content, fileName);
    expect(status).toBe(415);
    expect(body).toEqual({
      statusCode: 415,
      code: 'unsupported_type',
      error: 'Unsupported Media Type',
      message: expect.stringMatching(message),
    });
  });

  it('an uploaded file of a forged type is never stored', async () => {
    expect(await api.db.selectFrom('media').select('id').execute()).toEqual([]);
  });

  it('an uploaded file of a forged type is served as its real type if this is accepted, under a name with a matching extension', async () => {
    const polyglot = Buffer.concat([PNG, Buffer.from('<script>alert(1)</script>'), zipOf({ 'a.class': 'x' })]);
    for (const fileName of ['page.html', 'run.exe', 'run.hta', 'picture.svg', 'picture']) {
      const { body } = await upload(polyglot, fileName, 'text/html');
      expect(body).toMatchObject({ fileName: `${fileName}.png`, mime_type: 'image/png' });
      const { headers } = await fetch(body.fileUrl);
      expect(headers.get('content-type')).toBe('image/png');
      expect(headers.get('content-disposition')).toMatch(/^attachment; filename="\w+(\.\w+)?\.png"/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toMatch(/sandbox/);
    }
  });

  it('an uploaded file of a forged type is inspected in bounded memory, even an inflating document', async () => {
    const before = process.memoryUsage().rss;
    for (let time = 0; time < 5; time++) {
      const { status } = await upload(deflated('[Content_Types].xml', bomb), 'a.docx');
      expect(status).toBe(415);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 ** 2);
  });

  it('an uploaded file of a forged type is either accepted or refused with 415, however damaged it is', async () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    for (const [fileName, content] of SAMPLES) {
      for (let time = 0; time < 25; time++) {
        const damaged = Buffer.from(content.subarray(0, 1 + random(content.length)));
        for (let byte = 0; byte < 3; byte++) damaged[random(damaged.length)] = random(256);
        const { status, body } = await upload(damaged, fileName);
        expect(`${damaged.toString('hex')} ${status} ${body.message}`).toMatch(/ (201|415) /);
      }
    }
  }, 120_000);
});

describe('a hostile file name', () => {
  it.each([
    ['../../../etc/passwd', 'passwd.png'],
    ['..\\..\\windows\\system32\\cmd.exe', 'cmd.exe.png'],
    ['/etc/cron.d/x.png', 'x.png'],
    ['C:\\autoexec.png', 'autoexec.png'],
    ['photo\u202egnp.exe', 'photognp.exe.png'],
    ['a\r\nSet-Cookie: x=y.png', 'aSet-Cookie_ x=y.png'],
    ['a\0b\u0007.png', 'ab.png'],
    ['\u2028a\u200b\ufeff.png', 'a.png'],
    ['', 'file.png'],
    ['.', 'file.png'],
    ['..', 'file.png'],
    ['.png', 'png.png'],
    ['.htaccess', 'htaccess.png'],
    ['  spaces. . ', 'spaces.png'],
    ['CON', '_CON.png'],
    ['nul.png', '_nul.png'],
    ['com1.png', '_com1.png'],
    ['a<b>:"c|d?*.PNG', 'a_b___c_d__.PNG'],
    ['\ud800x.png', '\ufffdx.png'],
    ['e\u0301.png', '\u00e9.png'],
    ['می\u200cخواهم.png', 'می\u200cخواهم.png'],
    ["O'Brien (1) 100% ü.png", "O'Brien (1) 100% ü.png"],
  ])('the hostile file name %j becomes %j', (given, cleaned) => {
    expect(cleanFileName(given, PNG_TYPE)).toBe(cleaned);
  });

  it('a hostile file name is truncated to 200 bytes, in whole characters, and keeps its extension', () => {
    for (const character of ['x', 'ü', '語', '🙂']) {
      const name = cleanFileName(`${character.repeat(5_000)}.png`, PNG_TYPE);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
      expect(Buffer.byteLength(name)).toBeGreaterThan(192);
      expect(name).toMatch(/^(.)\1+\.png$/u);
    }
    expect(cleanFileName('page.html', GIF_TYPE)).toBe('page.html.gif');
    expect(cleanFileName('run.LOG', TEXT_TYPE)).toBe('run.LOG');
    expect(cleanFileName('run.bat', TEXT_TYPE)).toBe('run.bat.txt');
  });

  it.each([
    ['a.png', 'attachment; filename="a.png"; filename*=UTF-8\'\'a.png'],
    ['Grüße.png', 'attachment; filename="Gr__e.png"; filename*=UTF-8\'\'Gr%C3%BC%C3%9Fe.png'],
    ['a"b\\c%41.png', 'attachment; filename="a_b_c_41.png"; filename*=UTF-8\'\'a%22b%5Cc%2541.png'],
    ["it's (1)*.png", "attachment; filename=\"it's (1)*.png\"; filename*=UTF-8''it%27s%20%281%29%2a.png"],
    ['🙂.png', 'attachment; filename="_.png"; filename*=UTF-8\'\'%F0%9F%99%82.png'],
  ])('the hostile file name %j becomes the header %j', (name, header) => {
    expect(attachmentNamed(name)).toBe(header);
  });

  it.each([
    ['name="file"; filename="../../../../etc/passwd"', 'passwd.png'],
    ['name="file"; filename="..\\..\\x.png"', 'x.png'],
    ['name="file"; filename="Gr\u00fc\u00dfe \u202egnp.png"', 'Grüße gnp.png'],
    ['name="file"; filename*=UTF-8\'\'%2e%2e%2fpasswd', 'passwd.png'],
    [`name="file"; filename="${'x'.repeat(3_000)}.png"`, `${'x'.repeat(196)}.png`],
    ['name="file"; filename=""', 'file.png'],
  ])('a hostile file name is cleaned in a form with %s', async (disposition, fileName) => {
    const { body, type } = rawForm(PNG, disposition);
    const answer = await fetch(`${api.url}/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.org.key}`, 'content-type': type },
      body,
    });
    expect(await answer.json()).toMatchObject({ fileName });
    expect(answer.status).toBe(201);
  });
});

/** Returns a zip with one deflated entry and a small claimed size. */
function deflated(name: string, data: Buffer): Buffer {
  const zip = zipOf({ [name]: data });
  zip.writeUInt16LE(8, 8);
  zip.writeUInt32LE(1_000, 22);
  return zip;
}
