import { withoutMarkup } from '../../console/src/areas/inbox/markup.ts';

it.each([
  ['> Open **Orders**, and press *Return*.', 'Open Orders, and press Return.'],
  ['## **open *Billing* now**', 'open Billing now'],
  ['\\*so\\* 2*3, a * b', '*so* 2*3, a * b'],
  ['See [Refunds](https://a.example/r) or [Orders](https://a.exa', 'See Refunds or Orders'],
])('the list shows %j as %j', (markdown, text) => expect(withoutMarkup(markdown)).toBe(text));
