import { deflateSync } from 'node:zlib';

/** Returns a PDF with these pages, one line per line of text. */
export const pdfOf = ({ title, pages }: { title: string; pages: string[] }): Buffer =>
  build(
    title,
    pages.map((page) => stream(Buffer.from(drawing(page)))),
  );

/** Returns a small PDF. Its only page inflates to this many bytes. */
export const inflatingPdf = (bytes: number): Buffer =>
  build('Bomb', [stream(deflateSync(Buffer.alloc(bytes, 'q '), { level: 9 }), '/Filter/FlateDecode')]);

const drawing = (page: string) =>
  `BT /F1 12 Tf 72 700 Td 14 TL ${page
    .split('\n')
    .map((line) => `(${line}) Tj T*`)
    .join(' ')} ET`;

const stream = (data: Buffer, filter = '') =>
  Buffer.concat([Buffer.from(`<</Length ${data.length}${filter}>>stream\n`), data, Buffer.from('\nendstream')]);

function build(title: string, contents: Buffer[]): Buffer {
  const pageNumbers = contents.map((_, nth) => 5 + nth * 2);
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${pageNumbers.map((number) => `${number} 0 R`).join(' ')}]/Count ${contents.length}>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    `<</Title(${title})>>`,
    ...contents.flatMap((content, nth) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${6 + nth * 2} 0 R/Resources<</Font<</F1 3 0 R>>>>>>`,
      content,
    ]),
  ];
  const parts = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [nth, object] of objects.entries()) {
    offsets.push(length);
    const part = Buffer.concat([Buffer.from(`${nth + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]);
    parts.push(part);
    length += part.length;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer<</Size ${count}/Root 1 0 R/Info 4 0 R>>\nstartxref\n${length}\n%%EOF`,
    ),
  );
  return Buffer.concat(parts);
}
