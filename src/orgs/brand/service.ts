import type { Db } from '../../db/connect.ts';
import { refused } from '../../errors.ts';
import type { PageBrand } from '../../html/brand.rules.ts';
import type { MediaLinks } from '../../media/links.ts';
import { findLinkedMedia } from '../../media/service.ts';
import { findBrandedOrg } from './queries.ts';
import type { Brand } from './schema.ts';

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Returns how the public pages of an org look. One without a brand has its name alone. */
export async function readBrand(db: Db, links: MediaLinks, orgId: string): Promise<PageBrand> {
  const { brand, name } = (await findBrandedOrg(db, orgId)) ?? { brand: null, name: '' };
  return { name, ...withLogoLink(links, orgId, brand ?? {}) };
}

/**
 * Returns a brand as it is stored: with the id of its logo in place of a link. Throws invalid for what is no picture of
 * the org.
 */
export async function storedBrand(db: Db, links: MediaLinks, orgId: string, brand: Brand): Promise<Brand> {
  if (brand.logo === undefined) return brand;
  const [media] = await findLinkedMedia(db, links, orgId, [brand.logo]);
  if (media === undefined)
    throw refused('brand.logo', 'must be the `fileUrl` of a file of the organization: upload it by POST /media first');
  if (!PICTURES.includes(media.mime_type))
    throw refused('brand.logo', `is ${media.mime_type}. Accepted types: PNG, JPEG, GIF, WebP`);
  return { ...brand, logo: media.id };
}

/** Returns a stored brand with a link to its logo that has no end. */
export const withLogoLink = (links: MediaLinks, orgId: string, { logo, ...brand }: Brand): Brand =>
  logo === undefined ? brand : { ...brand, logo: links.lastingLinkOf({ org_id: orgId, id: logo }) };
