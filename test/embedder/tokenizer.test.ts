import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { createTokenizer } from '../../src/embedder/tokenizer.rules.ts';
import { readModelHeader } from '../support/model.ts';

/** Languages with and without spaces, ligatures, fullwidth and combining characters, emoji, controls. */
const TEXTS = [
  'How do I change my password?',
  'Wie ändere ich mein Passwort, bitte?',
  '如何更改密码？退款需要多长时间',
  'パスワードを変更するにはどうすればいいですか',
  'ฉันจะเปลี่ยนรหัสผ่านได้อย่างไร',
  'कैसे बदलें पासवर्ड',
  'ﬁne ½ ™ Ａｂｃ １２３',
  'line one\n\n\tline   two  ',
  '𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐎀𐎁𐎂 and 🙂🙃',
  '',
];

describe('the tokenizer of the embedding model', () => {
  let vocabulary: Awaited<ReturnType<typeof readModelHeader>>['vocabulary'];
  let library: LibraryTokenizer;
  beforeAll(async () => {
    ({ vocabulary } = await readModelHeader());
    library = new LibraryTokenizer(configurationOf(vocabulary), {});
  });
  const ofLibrary = (text: string) => library.encode(text, { add_special_tokens: false }).ids;

  it.each(TEXTS)('cuts %j into the pieces of the library that made the model', (text) => {
    expect(createTokenizer(vocabulary).encode(text)).toEqual(ofLibrary(text));
  });

  it('cuts any words like the library', () => {
    const tokenizer = createTokenizer(vocabulary);
    const word = fc.string({
      unit: fc.constantFrom(...'abcdeinrstäöüßñçłąęžшчябחא中文日本語가다한', '-', "'", '.', '7'),
      maxLength: 14,
    });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (words) => {
        const text = words.join(' ');
        expect(tokenizer.encode(text)).toEqual(ofLibrary(text));
      }),
      { numRuns: 300 },
    );
  });
});

/** The library's form of the vocabulary. */
const configurationOf = ({ pieces, scores, unknown }: { pieces: string[]; scores: number[]; unknown: number }) => ({
  added_tokens: [],
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Precompiled', precompiled_charsmap: '' },
      { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
    ],
  },
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  post_processor: null,
  decoder: null,
  model: { type: 'Unigram', unk_id: unknown, vocab: pieces.map((piece, id) => [piece, scores[id]]) },
});
