import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';
import { type Outline, renderOutline } from './docs-outline.rules.ts';

/** Where the script draws the page. */
const PLACE = '<div id="app"></div>';
const TITLE = /<html>(\s*<head>\s*)<title>[^<]*<\/title>/;

export interface DocsPage {
  page: Uint8Array;
  script: Uint8Array;
}

/** Returns the documentation page. It shows an outline until `/openapi.json` and the script at an address are loaded. */
export async function renderDocsPage({
  scriptUrl,
  outline,
}: {
  scriptUrl: string;
  outline: Outline;
}): Promise<DocsPage> {
  const app = fastify();
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      title: outline.title,
      cdn: scriptUrl,
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
    },
  } as never);
  const [page, script] = await Promise.all(['/docs/', '/docs/js/scalar.js'].map((url) => app.inject(url)));
  await app.close();
  if (page?.statusCode !== 200 || script?.statusCode !== 200)
    throw new Error('The documentation could not be rendered');
  return { page: Buffer.from(withOutline(page.body, outline)), script: script.rawPayload };
}

function withOutline(page: string, outline: Outline): string {
  if (!page.includes(PLACE) || !TITLE.test(page)) throw new Error('The page of the documentation has another form');
  return page
    .replace(TITLE, (_, head: string) => `<html lang="en">${head}<title>${outline.title}</title>`)
    .replace(PLACE, () => `${PLACE}${renderOutline(outline)}`);
}
