import type { Db } from '../../db/connect.ts';
import { refused } from '../../errors.ts';
import type { PageBrand } from '../../html/brand.rules.ts';
import type { MediaLinks } from '../../media/links.ts';
import { findLinkedMedia, listFiles } from '../../media/service.ts';
import { findBrandedOrg } from './queries.ts';
import type { Brand } from './schema.ts';

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Returns how the public pages of an org look. One without a brand has its name alone. */
export async function readBrand(db: Db, links: MediaLinks, orgId: string): Promise<PageBrand> {
  const { brand, name } = (await findBrandedOrg(db, orgId)) ?? { brand: null, name: '' };
  return { name, ...(await shownBrand(db, links, orgId, brand ?? {})) };
}

/**
 * Returns a brand as it is stored: with the id of its logo in place of a link. The logo that the org has already is left out
 * if its file was redacted. Throws invalid for what is no picture of the org.
 */
export async function storedBrand(db: Db, links: MediaLinks, orgId: string, { logo, ...brand }: Brand): Promise<Brand> {
  if (logo === undefined) return brand;
  const [media] = await findLinkedMedia(db, links, orgId, [logo]);
  if (media === undefined && (await isStoredLogo(db, links, orgId, logo))) return brand;
  if (media === undefined)
    throw refused('brand.logo', 'must be the `fileUrl` of a file of the organization: upload it by POST /media first');
  if (!PICTURES.includes(media.mime_type))
    throw refused('brand.logo', `is ${media.mime_type}. Accepted types: PNG, JPEG, GIF, WebP`);
  return { ...brand, logo: media.id };
}

/** Returns whether an address is that of the logo that an org has, with or without its file. */
async function isStoredLogo(db: Db, links: MediaLinks, orgId: string, address: string): Promise<boolean> {
  const id = (await findBrandedOrg(db, orgId))?.brand?.logo;
  return id !== undefined && address === links.lastingLinkOf({ org_id: orgId, id });
}

/** Returns a stored brand with a link to its logo that has no end. A logo whose file was redacted is left out. */
export async function shownBrand(db: Db, links: MediaLinks, orgId: string, { logo, ...brand }: Brand): Promise<Brand> {
  const [media] = logo === undefined ? [] : await listFiles(db, orgId, [logo]);
  return media === undefined ? brand : { ...brand, logo: links.lastingLinkOf(media) };
}
