import { z } from 'zod';
import { InputFailed, InputRefused } from '../../errors.ts';
import { joinUrl } from '../../text/urls.rules.ts';
import { EgressError, type HttpClient } from '../egress/egress.ts';
import { jsonOf, reasonFrom, requestFailure } from '../egress/provider-responses.ts';

const BASE_URL = 'https://api.openai.com/v1';
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DIMENSIONS = 8_192;

export interface EmbeddingSettings {
  base_url?: string | undefined;
  api_key: string;
  embedding_model: string;
  /** Whether the model is told what a text is. */
  embedding_input_type?: boolean | undefined;
}

export type InputType = 'query' | 'passage';

const Embeddings = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(MAX_DIMENSIONS) })),
});
const Refusal = z.object({ error: z.object({ message: z.string() }) });

const REFUSED_STATUSES = new Set([400, 413, 422]);

/**
 * Returns a vector of length 1 for each text, by OpenAI's embeddings protocol, also supported by other providers.
 * Throws ProviderError: InputRefused if the provider refuses one of the texts, InputFailed if one of them may be why it
 * gives no answer, or none of use.
 */
export async function embedTexts(
  egress: HttpClient,
  { base_url = BASE_URL, api_key, embedding_model: model, embedding_input_type: hasType = false }: EmbeddingSettings,
  texts: string[],
  { inputType, timeoutMs }: { inputType: InputType; timeoutMs: number },
): Promise<Float32Array[]> {
  const answer = await egress
    .request(joinUrl(base_url, '/embeddings'), {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', authorization: `Bearer ${api_key}` },
      body: JSON.stringify({
        model,
        input: texts,
        encoding_format: 'float',
        ...(hasType && { input_type: inputType }),
      }),
      timeoutMs,
      maxBytes: MAX_BYTES,
    })
    .catch((error: unknown) => {
      if (!(error instanceof EgressError) || !error.mayHaveArrived || error.problem === 'refused') throw error;
      throw new InputFailed(error.message, { transient: error.transient, cause: error });
    });
  if (answer.status !== 200) {
    const said = Refusal.safeParse(jsonOf(answer)).data?.error.message ?? `answered ${answer.status}`;
    const reason = `The AI provider’s embeddings: ${reasonFrom(said, [api_key])}`;
    if (REFUSED_STATUSES.has(answer.status)) throw new InputRefused(reason, { transient: false });
    const failure = requestFailure(answer, reason);
    if (answer.status < 500 || failure.retryAfterMs !== undefined) throw failure;
    throw new InputFailed(reason, { transient: true });
  }
  const found = Embeddings.safeParse(jsonOf(answer)).data?.data ?? [];
  const vectors = found.toSorted((a, b) => a.index - b.index).map(({ embedding }) => unitVectorOf(embedding));
  const [first] = vectors;
  const isWhole =
    vectors.length === texts.length && vectors.every((vector) => vector.length === first?.length && isUsable(vector));
  if (!isWhole) throw new InputFailed('The AI provider answered with no embedding of each text', { transient: true });
  return vectors;
}

function unitVectorOf(embedding: number[]): Float32Array {
  const length = Math.hypot(...embedding);
  return Float32Array.from(embedding, (part) => part / length);
}

const isUsable = (vector: Float32Array): boolean => vector.every((part) => Number.isFinite(part));
