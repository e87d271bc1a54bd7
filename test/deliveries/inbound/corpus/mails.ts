import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';

/** A file of a corpus. */
export interface CorpusFile {
  path: string;
  sha256: string;
  bytes: Buffer;
}

const HEADER_FIELD = /^(?:From |[\w-]+:)/;
const TEXTS = [
  'Where is my parcel?',
  'Könnten Sie mir bitte eine größere Größe schicken?',
  'Où est mon colis ? Je l’attends depuis lundi…',
  'Гдe моя посылка?',
  '荷物はどこですか。',
  'أين طردي؟',
];

/** Returns the files of a folder and its folders, in the order of their names. */
export function filesOf(folder: string): CorpusFile[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => {
      const bytes = readFileSync(path);
      return { path, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
    });
}

export const isMail = ({ bytes }: CorpusFile): boolean =>
  HEADER_FIELD.test(bytes.toString('latin1', 0, 200).trimStart());

/** Returns mails as nodemailer composes them: six languages, as text, as HTML and with a file, in three encodings. */
export async function generatedMails(): Promise<CorpusFile[]> {
  const transport = createTransport({ streamTransport: true, buffer: true });
  const parts = TEXTS.flatMap((text, nth) => [
    { text, textEncoding: 'base64' as const },
    { text, html: `<p>${text}</p>`, textEncoding: 'quoted-printable' as const },
    { html: `<div>${text}</div>`, attachments: [{ filename: `${text.slice(0, 12)}.csv`, content: `a;${nth}` }] },
  ]);
  return Promise.all(
    parts.map(async (part, nth) => {
      const from = { name: `Ann ${TEXTS[nth % TEXTS.length]?.slice(0, 5)}`, address: `ann.${nth}@example.com` };
      const { message } = await transport.sendMail({
        from,
        to: 'support@example.com',
        subject: `Parcel ${nth}`,
        ...part,
      });
      const bytes = message as Buffer;
      return { path: `generated ${nth}`, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
    }),
  );
}
