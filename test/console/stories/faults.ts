import type { Page } from 'playwright-core';
import { overflowOf } from '../../support/chromium.ts';
import { violationsIn } from '../../support/console-pages.ts';
import { untilSettled } from './routes.ts';

/**
 * Returns what axe finds on pages of the console in both themes, and which of them are wider than the window. With
 * SHOTS, the path of a folder, pictures of them are stored there.
 */
export async function faultsOf(
  page: Page,
  paths: string[],
  { url, width }: { url: string; width: number },
): Promise<string[]> {
  const faults: string[] = [];
  for (const path of paths) {
    await page.goto(`${url}/console${path}`);
    await untilSettled(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const rules = colorScheme === 'dark' ? ['color-contrast'] : undefined;
      for (const fault of await violationsIn(page, rules)) faults.push(`${path} ${colorScheme}: ${fault}`);
      if (process.env.SHOTS)
        await page.screenshot({
          path: `${process.env.SHOTS}/${path.replace(/\W+/g, '-').slice(0, 40)}-${width}-${colorScheme}.png`,
        });
    }
    if ((await overflowOf(page)) > 0) faults.push(`${path}: wider than the window`);
  }
  return faults;
}
