import { z } from 'zod';
import { isHexColor } from '../../html/colors.rules.ts';

const MAX_URL_LENGTH = 2_048;
const Address = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(MAX_URL_LENGTH);

/** How an org shows itself on its public pages. */
export const Brand = z
  .object({
    name: z.string().trim().min(1).max(100).optional(),
    logo: Address.optional().describe('The `fileUrl` of a PNG, JPEG, GIF or WebP, by POST /media.'),
    color: z
      .string()
      .refine(isHexColor, 'must be a colour such as #1c4fd8')
      .overwrite((color) => color.toLowerCase())
      .optional()
      .describe('Of buttons and links. It is made darker or lighter where text would be hard to read.'),
    home: Address.optional(),
  })
  .describe('The look of the help center and of hosted pages. null: the name of the organization alone.');
export type Brand = z.infer<typeof Brand>;
