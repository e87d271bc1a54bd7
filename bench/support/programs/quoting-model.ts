import { type FakeModel, startFakeModel } from '../../../test/support/fakes/model.ts';
import { serve } from '../processes.ts';

type Asked = FakeModel['asked'][number];

/** Answers by the first sentence of the first passage. */
function quoteFirst({ data }: Asked) {
  const [passage] = data.passages ?? [];
  const [quote = ''] = passage?.text.split(/(?<=\.)\s/).filter((sentence) => sentence.split(' ').length >= 4) ?? [];
  const parts = [{ text: quote, support: [{ passage: passage?.passage ?? 0, quote }] }];
  return { json: { kind: 'answer', language: 'en', covers: 'fully', parts } };
}

// A model without cost, which counts the tokens of its answers.
const model = await startFakeModel(quoteFirst);

serve({
  settings: async () => model.settings,
  journal: async () => {
    model.asked.length = 0;
    return model.usage;
  },
});
