import { overflowOf } from '../../../support/chromium.ts';
import { violationsIn } from '../../../support/console-pages.ts';
import { describeWalks, PART_LIMIT_MS } from './console.ts';

/** Looks at every route below the parts at a width, in both themes. */
export function describeFaults(width: number, parts: string[]): void {
  describeWalks(`every route of the console at ${width} px`, (started) => {
    it.each(parts)(
      'has no fault that axe finds below %s, in either theme, and nothing that the browser complains of',
      async (part) => {
        const { pages, addressesBelow, goTo } = started();
        const { page, complaints } = await pages.open('root@acme.example', '/inbox', { role: 'admin', width });
        for (const address of addressesBelow(part))
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
            await goTo(page, address);
            expect([address, colorScheme, await violationsIn(page)]).toEqual([address, colorScheme, []]);
            expect([address, await overflowOf(page)]).toEqual([address, 0]);
            if (process.env.SHOTS)
              await page.screenshot({
                path: `${process.env.SHOTS}/${address.replace(/\W+/g, '-')}-${width}-${colorScheme}.png`,
              });
          }
        expect(complaints.filter((line) => !line.includes('404'))).toEqual([]);
        await page.close();
      },
      PART_LIMIT_MS,
    );
  });
}
