import type { Db } from '../../db/connect.ts';
import type { MediaLinks } from '../../media/links.ts';
import { readBrand } from '../../orgs/brand/service.ts';
import type { FormLook } from './form-pages.ts';
import type { Webhook } from './webhooks.service.ts';

/** Returns how the page of a form looks in a language: like all pages of its org. */
export const readFormLook = async (
  db: Db,
  links: MediaLinks,
  { orgId }: Webhook,
  language: string,
): Promise<FormLook> => ({ brand: await readBrand(db, links, orgId), language });
