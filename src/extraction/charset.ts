import { TextDecoder } from 'node:util';

const BYTE_ORDER_MARKS: [number[], string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];
const META = /<meta[^>]{0,500}?charset\s{0,10}=\s{0,10}["']?([\w:.-]{1,40})/i;
const MAX_META_OFFSET = 4_096;
const MAX_SAMPLE_BYTES = 65_536;

/** Characteristic letters of text in these encodings, with their minimum share of the letters beyond ASCII. */
const LIKELY: [string, RegExp, number][] = [
  ['shift_jis', /[\u3041-\u3096\u30a1-\u30fc]/g, 0.25],
  ['euc-jp', /[\u3041-\u3096\u30a1-\u30fc]/g, 0.25],
  ['euc-kr', /[\uac00-\ud7a3]/g, 0.7],
  ['gb18030', /[的一是不了在人有我他这中大来上国个到说们为子和你地出会也时要就可以对生能]/g, 0.12],
  ['big5', /[的一是不了在人有我他這中大來上國個到說們為子和你地出會也時要就可以對生能]/g, 0.12],
  ['windows-1251', /[оеаинтсрвлкмдпуя]/g, 0.55],
  ['koi8-r', /[оеаинтсрвлкмдпуя]/g, 0.55],
];

/** Decodes a page by its byte order mark, its header, its meta element, or else by its most likely encoding. */
export function decode(bytes: Uint8Array, contentType: string | null): string {
  const marked = BYTE_ORDER_MARKS.find(([mark]) => mark.every((byte, nth) => bytes[nth] === byte))?.[1];
  const decoder = decoderOf(marked) ?? decoderOf(charsetOf(contentType)) ?? decoderOf(charsetOfMeta(bytes));
  return (decoder ?? new TextDecoder(guess(bytes.subarray(0, MAX_SAMPLE_BYTES)))).decode(bytes);
}

const charsetOf = (contentType: string | null) =>
  /charset\s{0,10}=\s{0,10}["']?([^\s;"',]{1,40})/i.exec(contentType ?? '')?.[1];

function charsetOfMeta(bytes: Uint8Array): string | undefined {
  const label = META.exec(Buffer.from(bytes.subarray(0, MAX_META_OFFSET)).toString('latin1'))?.[1];
  return label?.toLowerCase().startsWith('utf-16') ? 'utf-8' : label; // with UTF-16, this label could not have been read as ASCII
}

function decoderOf(label: string | undefined, isFatal = false): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label, { fatal: isFatal });
  } catch {
    return undefined; // no encoding has this name
  }
}

function guess(sample: Uint8Array): string {
  if (decodes(sample, 'utf-8') !== undefined) return 'utf-8';
  let best = 'windows-1252';
  let bestShare = 0;
  for (const [label, letters, atLeast] of LIKELY) {
    const beyond = decodes(sample, label)?.match(/[^\p{ASCII}\s]/gu);
    if (beyond == null) continue;
    const share = (beyond.join('').match(letters)?.length ?? 0) / beyond.length / atLeast;
    if (share >= 1 && share > bestShare) [best, bestShare] = [label, share];
  }
  return best;
}

/** Decodes the sample, or returns undefined if it is invalid in this encoding. Its last character may be incomplete. */
function decodes(sample: Uint8Array, label: string): string | undefined {
  try {
    return decoderOf(label, true)?.decode(sample, { stream: true });
  } catch {
    return undefined;
  }
}
