import { findChromium } from '../../src/crawl/rendering/chromium.ts';

/** Chromium of this machine. */
export const CHROMIUM = findChromium(undefined);
if (CHROMIUM === undefined) console.warn('Tests that need Chromium are skipped: none is installed');

/** Chromium refuses to run as root in its sandbox. */
export const CAN_SANDBOX = process.getuid?.() !== 0;
export const CHROMIUM_ENV = { CHROMIUM_SANDBOX: CAN_SANDBOX ? 'on' : 'off' };
