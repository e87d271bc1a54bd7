import { z } from 'zod';
import { linesOf, shortened } from '../found-text.rules.ts';
import { storable } from '../storable.rules.ts';

/** Many more than a cart of WhatsApp holds. */
const MAX_ITEMS = 100;

const Text = z.string().transform(storable);
const OptionalText = Text.optional().catch(undefined);

const isGiven = (part: string | undefined) => part !== undefined && part !== '';
const joined = (parts: (string | undefined)[]) => parts.filter(isGiven).join('\n');

/** The answers of a Flow: what its message says, and each field with its value. */
export const FlowAnswers = z
  .object({ body: OptionalText, response_json: OptionalText })
  .refine(({ body, response_json }) => isGiven(body) || isGiven(response_json))
  .transform(({ body, response_json }) => joined([body, ...(response_json ? answersIn(response_json) : [])]));

const Answers = z.record(z.string(), z.unknown());

/** Returns the lines of a Flow's answers without its token, which is ours. Returns the text itself if it is no JSON. */
function answersIn(json: string): string[] {
  const answers = Answers.safeParse(parsedOf(json)).data;
  if (answers === undefined) return [shortened(json)];
  const { flow_token: _, ...given } = answers;
  return linesOf(given);
}

function parsedOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** A number, also as a text. */
const Amount = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d{1,15}(\.\d{1,15})?$/)
    .transform(Number),
]);

const OrderedItem = z
  .object({
    product_retailer_id: Text.pipe(z.string().min(1)),
    quantity: Amount,
    item_price: Amount.optional().catch(undefined),
    currency: OptionalText,
  })
  .transform(({ product_retailer_id, quantity, item_price, currency }) => {
    const price = item_price === undefined ? undefined : [item_price, currency].filter(Boolean).join(' ');
    return `${quantity} × ${shortened(product_retailer_id)}${price === undefined ? '' : `, ${price} each`}`;
  });

/** Returns the line of an ordered item. One of another form is shown by its fields. */
function lineOfItem(item: unknown): string {
  const line = OrderedItem.safeParse(item).data ?? shortened(linesOf(item).join(', '));
  return line === '' ? '[item without details]' : line;
}

function linesOfItems(items: unknown[]): string[] {
  const lines = items.slice(0, MAX_ITEMS).map(lineOfItem);
  return items.length > MAX_ITEMS ? [...lines, `[${items.length - MAX_ITEMS} more items]`] : lines;
}

/** An order of products: a line for each item, and the contact's note. */
export const Order = z
  .object({ text: OptionalText, product_items: z.array(z.unknown()).min(1) })
  .transform(({ text, product_items }) => joined(['Order:', ...linesOfItems(product_items), text && `Note: ${text}`]));
