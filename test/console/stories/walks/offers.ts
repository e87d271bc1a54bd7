import type { Page } from 'playwright-core';
import type { MemberOptions } from '../../../support/console-pages.ts';
import { describeWalks, PART_LIMIT_MS, type WalkedConsole } from './console.ts';

const CONTROLS = ':is(button, summary, select, input, textarea, [role=menuitem], [role=option])';
const OPENED = ':is(:popover-open, dialog[open])';
/** They end the walk, or only the page. */
const LEAVES = /^(?:Sign out|Leave this page)$/;
/** Within it the server has answered what a control asks. */
const ANSWER_MS = 150;
/** The keys that do something to the open conversation or to the list. */
const KEYS = ['r', 'n', 'a', 'i', 'l', 't', 'Shift+T', 'e', 'Shift+E', 'h', 'm', 'u', '.', 'x', 'Control+a', 'z'];

type Role = NonNullable<MemberOptions['role']>;

/** Tries every control that the pages below the parts offer to a role. `least` controls are there. */
export function describeOffers(role: Role, parts: string[], least: number): void {
  describeWalks(`what the console offers a member of the role ${role}`, (started) => {
    const walk = { known: new Set<string>(), controls: 0 };

    it.each(parts)(
      'is nothing that the server refuses below %s, by the mouse or by a key',
      async (part) => {
        const { page, refused, visit } = await startWalk(started(), role, walk);
        for (const address of started().addressesBelow(part)) await visit(address);
        expect(refused).toEqual([]);
        await page.close();
      },
      PART_LIMIT_MS,
    );

    it('has controls, which the walk has found', () => {
      expect(walk.controls).toBeGreaterThan(least);
    });
  });
}

interface Walk {
  /** The kinds of controls that were used. */
  known: Set<string>;
  controls: number;
}

/** Signs a member in. `visit` uses each control of a page, and each that it opens. */
async function startWalk({ pages, goTo }: WalkedConsole, role: Role, walk: Walk) {
  const { page } = await pages.open(`${role}@acme.example`, '/inbox', { role });
  const refused: string[] = [];
  let used = '';
  page.on('response', (response) => {
    if (response.status() !== 403) return;
    refused.push(`${used}: ${response.request().method()} ${new URL(response.url()).pathname}`);
  });
  const visit = async (address: string): Promise<void> => {
    const part = partOf(address);
    used = address;
    await goTo(page, address);
    const names = await namesOf(page, `${part} ${CONTROLS}`);
    for (const [n, name] of names.entries()) {
      const kind = name.replace(/^Select .+/, 'Select');
      if (LEAVES.test(name) || (part === 'main' && walk.known.has(kind))) continue;
      walk.known.add(kind);
      const use = async () => {
        await goTo(page, address);
        used = `${address} › ${name}`;
        await useControl(page, `${part} ${CONTROLS}`, n);
      };
      await use();
      const inner = await namesOf(page, `${OPENED} ${CONTROLS}`);
      walk.controls += 1 + inner.length;
      for (const [m, opened] of inner.entries()) {
        if (LEAVES.test(opened)) continue;
        if (m > 0) await use();
        used = `${address} › ${name} › ${opened}`;
        await useControl(page, `${OPENED} ${CONTROLS}`, m);
      }
    }
    await goTo(page, address);
    const begun = page.url();
    for (const key of KEYS) {
      used = `${address} › key ${key}`;
      await page.keyboard.press(key);
      await page.waitForTimeout(ANSWER_MS);
      const hasOpened = (await page.locator(`${OPENED}, :is(input, textarea):focus`).count()) > 0;
      if (hasOpened || page.url() !== begun) await goTo(page, address);
    }
  };
  return { page, refused, visit };
}

/** The frame is the same on each page, and so is the list beside a conversation: one page has them walked. */
const partOf = (address: string): string =>
  address === '/' ? 'body' : address.startsWith('/s/') ? '[aria-label=Conversation]' : 'main';

/** Returns the names of what can be used now. */
async function namesOf(page: Page, selector: string): Promise<string[]> {
  const usable = page.locator(`${selector}:not([disabled])`).filter({ visible: true });
  return Promise.all(
    (await usable.all()).map(async (one) => (await one.getAttribute('aria-label')) ?? (await one.textContent()) ?? ''),
  );
}

/** Uses the nth control as its kind is used. One that has gone is left alone: the page has changed with the last one. */
async function useControl(page: Page, selector: string, nth: number): Promise<void> {
  const control = page.locator(`${selector}:not([disabled])`).filter({ visible: true }).nth(nth);
  const isA = async (kind: string) => (await control.and(page.locator(kind)).count()) > 0;
  const limit = { timeout: 2_000 };
  const using = (await isA('select'))
    ? control.selectOption({ index: 1 }, limit)
    : (await isA('textarea, input:not([type=checkbox])'))
      ? control.fill('text', limit)
      : control.click({ ...limit, force: true });
  await using.catch(() => undefined);
  await page.waitForTimeout(ANSWER_MS);
}
