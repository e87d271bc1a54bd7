import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';

export interface DocsPage {
  page: Uint8Array;
  script: Uint8Array;
}

/** Returns the documentation page, which loads `/openapi.json` and the script at an address. */
export async function renderDocsPage(scriptUrl: string): Promise<DocsPage> {
  const app = fastify();
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      title: 'Switchboard API',
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
  return { page: page.rawPayload, script: script.rawPayload };
}
