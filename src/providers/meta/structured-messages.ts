import { z } from 'zod';
import { storable } from '../storable.rules.ts';
import { linesOf } from './found-text.rules.ts';

const Text = z.string().transform(storable);
const OptionalText = Text.optional().catch(undefined);

const isGiven = (part: string | undefined) => part !== undefined && part !== '';
const joined = (parts: (string | undefined)[]) => parts.filter(isGiven).join('\n');

/** The answers of a Flow: what its message says, and each field with its value. */
export const FlowAnswers = z
  .object({ body: OptionalText, response_json: OptionalText })
  .refine(({ body, response_json }) => isGiven(body) || isGiven(response_json))
  .transform(({ body, response_json }) => joined([body, ...(response_json ? answersIn(response_json) : [])]));

/** Returns the lines of a Flow's answers without its token, which is ours. Returns the text as it is if it is no JSON. */
function answersIn(json: string): string[] {
  const parsed = parsedOf(json);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return [json];
  const { flow_token: _, ...answers } = parsed as Record<string, unknown>;
  return linesOf(answers).map(storable);
}

function parsedOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const OrderedItem = z
  .object({
    product_retailer_id: Text,
    quantity: z.coerce.number(),
    item_price: z.coerce.number().optional().catch(undefined),
    currency: OptionalText,
  })
  .transform(({ product_retailer_id, quantity, item_price, currency }) => {
    const price = item_price === undefined ? undefined : [item_price, currency].filter(Boolean).join(' ');
    return `${quantity} × ${product_retailer_id}${price === undefined ? '' : `, ${price} each`}`;
  });

/** An order of products: a line for each item, and the contact's note. */
export const Order = z
  .object({ text: OptionalText, product_items: z.array(OrderedItem).min(1) })
  .transform(({ text, product_items }) => joined(['Order:', ...product_items, text && `Note: ${text}`]));
