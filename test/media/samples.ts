import { crc32 } from 'node:zlib';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

/** Returns a zip with these files, uncompressed. */
export function zipOf(files: Record<string, string | Buffer>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const data = Buffer.from(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([bytes('PK\x03\x04'), common, Buffer.from(name), data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([bytes('PK\x01\x02', [20, 0]), common, rest, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, ...directory, bytes('PK\x05\x06'), end]);
}

const officeFile = (main: string, folder: string) =>
  zipOf({
    '[Content_Types].xml': `<?xml version="1.0"?><Types><Override PartName="/${folder}/x.xml" ContentType="${main}+xml"/></Types>`,
    [`${folder}/x.xml`]: '<x/>',
  });

/** Returns a compound file with these streams. Its directory has several sectors, which are not in order. */
export function compoundFileOf(...streams: string[]): Buffer {
  const SECTOR = 512;
  const entries = ['Root Entry', ...streams].map((name, index) => {
    const entry = Buffer.alloc(128);
    entry.write(name, 'utf16le');
    entry.writeUInt16LE(2 * name.length + 2, 64);
    entry[66] = index === 0 ? 5 : 2;
    return entry;
  });
  const count = Math.ceil(entries.length / 4);
  const directory = Buffer.concat([...entries, Buffer.alloc((count * 4 - entries.length) * 128)]);
  const header = Buffer.alloc(SECTOR);
  bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]).copy(header);
  header.writeUInt16LE(9, 30);
  header.writeUInt32LE(count, 48);
  header.fill(0xff, 76);
  header.writeUInt32LE(0, 76);
  const table = Buffer.alloc(SECTOR, 0xff);
  for (let n = 1; n <= count; n++) table.writeUInt32LE(n === 1 ? 0xfffffffe : n - 1, 4 * n);
  const sectors = Array.from({ length: count }, (_, n) => directory.subarray(n * SECTOR, (n + 1) * SECTOR));
  return Buffer.concat([header, table, ...sectors.toReversed(), Buffer.alloc(SECTOR)]);
}

const chunk = (type: string, data: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(Buffer.concat([bytes(type), data])));
  return Buffer.concat([length, bytes(type), data, sum]);
};
const PNG_HEAD = bytes([0x89], 'PNG\r\n', [0x1a], '\n');
const IHDR = chunk('IHDR', bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]));

/** Returns a PNG of any size. */
export const pngOf = (size: number): Buffer => {
  const overhead = PNG_HEAD.length + IHDR.length + 24;
  const data = Buffer.alloc(size - overhead, 7);
  return Buffer.concat([PNG_HEAD, IHDR, chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
};

export const PNG = pngOf(100);
export const EXECUTABLE = bytes('MZ', [0x90, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0xff, 0xff, 0, 0], Array(200).fill(0));
const MP3_FRAME = bytes([0xff, 0xfb, 0x90, 0x64], Array(413).fill(0));

/** One file of each accepted type: its name, its bytes and its served type. */
export const SAMPLES: [fileName: string, content: Buffer, mime: string][] = [
  ['a.png', PNG, 'image/png'],
  ['a.jpg', bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF', [0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0xff, 0xd9]), 'image/jpeg'],
  ['a.gif', bytes('GIF89a', [1, 0, 1, 0, 0, 0, 0, 0x3b]), 'image/gif'],
  ['a.webp', bytes('RIFF', [26, 0, 0, 0], 'WEBPVP8L', [13, 0, 0, 0, 0x2f], Array(17).fill(0)), 'image/webp'],
  [
    'a.pdf',
    bytes('%PDF-1.7\n', [0x25, 0xe2, 0xe3, 0xcf, 0xd3], '\n1 0 obj\n<<>>\nendobj\ntrailer\n%%EOF\n'),
    'application/pdf',
  ],
  ['text.pdf', bytes('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n%%EOF\n'), 'application/pdf'],
  ['a.mp4', bytes([0, 0, 0, 24], 'ftypisom', [0, 0, 2, 0], 'isomiso2', [0, 0, 0, 8], 'mdat'), 'video/mp4'],
  ['a.m4a', bytes([0, 0, 0, 24], 'ftypM4A ', [0, 0, 2, 0], 'M4A isom', [0, 0, 0, 8], 'mdat'), 'audio/mp4'],
  ['a.webm', bytes([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84], 'webm', Array(40).fill(0)), 'video/webm'],
  [
    'recorded.webm',
    bytes(
      [
        0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x86, 0x81, 1, 0x42, 0xf7, 0x81, 1, 0x42, 0xf2, 0x81, 4, 0x42, 0xf3, 0x81,
        8,
      ],
      [0x42, 0x82, 0x84],
      'webm',
      [0x42, 0x87, 0x81, 4, 0x42, 0x85, 0x81, 2, 0x18, 0x53, 0x80, 0x67, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      Array(40).fill(0),
    ),
    'video/webm',
  ],
  [
    'a.mov',
    bytes([0, 0, 0, 20], 'ftypqt  ', [0, 0, 2, 0], 'qt  ', [0, 0, 0, 8], 'wide', [0, 0, 0, 8], 'mdat'),
    'video/quicktime',
  ],
  ['old.mov', bytes([0, 0, 0, 8], 'wide', [0, 0, 0, 8], 'mdat', Array(40).fill(0)), 'video/quicktime'],
  ['a.xls', compoundFileOf('Workbook', '\u0005SummaryInformation'), 'application/vnd.ms-excel'],
  ['late.xls', compoundFileOf('a', 'b', 'c', 'd', 'e', 'f', 'g', 'Book'), 'application/vnd.ms-excel'],
  [
    'a.mp3',
    bytes('ID3', [3, 0, 0, 0, 0, 0, 0], MP3_FRAME.toString('latin1'), MP3_FRAME.toString('latin1')),
    'audio/mpeg',
  ],
  ['a.opus', bytes('OggS', [0, 2], Array(20).fill(0), [1, 19], 'OpusHead', [1, 1], Array(9).fill(0)), 'audio/ogg'],
  ['a.wav', bytes('RIFF', [36, 0, 0, 0], 'WAVEfmt ', [16, 0, 0, 0, 1, 0, 1, 0], Array(20).fill(0)), 'audio/wav'],
  ['a.docx', officeFile(`${OFFICE}.wordprocessingml.document.main`, 'word'), `${OFFICE}.wordprocessingml.document`],
  ['a.xlsx', officeFile(`${OFFICE}.spreadsheetml.sheet.main`, 'xl'), `${OFFICE}.spreadsheetml.sheet`],
  ['a.pptx', officeFile(`${OFFICE}.presentationml.presentation.main`, 'ppt'), `${OFFICE}.presentationml.presentation`],
  ['a.txt', Buffer.from('Grüße aus Kathmandu: a < b, <3 and R&D 🙂\r\n'), 'text/plain'],
  ['bom.txt', Buffer.from('\ufeffwith a mark of its order'), 'text/plain'],
  ['a.csv', Buffer.from('BMW;X5\nGIFT;10 <b>bold</b> %\n'), 'text/csv'],
];

/** Returns a form with one file. */
export function formWith(content: Uint8Array, fileName: string, { field = 'file', type = '' } = {}): FormData {
  const form = new FormData();
  form.append(field, new File([Buffer.from(content)], fileName, { type }));
  return form;
}

/** Returns a multipart body as bytes, for content not possible with FormData. */
export function rawForm(content: Uint8Array, disposition: string): { body: Buffer; type: string } {
  const head = `--xx\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: image/png\r\n\r\n`;
  return {
    body: Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n--xx--\r\n')]),
    type: 'multipart/form-data; boundary=xx',
  };
}
