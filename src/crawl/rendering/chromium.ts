import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';

/** Debian's build without a browser's own windows comes first: it takes a quarter of the CPU for a page (156, measured). */
const USUAL_PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
/** Nobody listens there. What is not answered by the renderer itself goes there, and so nowhere. */
const NOWHERE = 'http://127.0.0.1:1';
const START_TIMEOUT_MS = 20_000;
const ARGUMENTS = [
  '--disable-gpu',
  '--disable-dev-shm-usage', // containers have little of that memory
  '--disable-background-networking',
  '--dns-prefetch-disable',
  '--no-pings',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--js-flags=--max-old-space-size=256',
];

/** Returns the path of Chromium: the given one, or else one of the usual ones. Undefined if there is none. */
export function findChromium(path: string | undefined): string | undefined {
  return path === 'none' ? undefined : [path ?? USUAL_PATHS].flat().find((one) => existsSync(one));
}

/** Starts Chromium without any way into a network. It ends with this process, even with a killed one. */
export async function startChromium(executablePath: string, isSandboxed: boolean): Promise<Browser> {
  const { chromium } = await import('playwright-core'); // uses 80 MB: loaded only to render a page
  return chromium.launch({
    executablePath,
    chromiumSandbox: isSandboxed,
    args: ARGUMENTS,
    proxy: { server: NOWHERE, bypass: '<-loopback>' },
    timeout: START_TIMEOUT_MS,
    handleSIGHUP: false,
    handleSIGINT: false,
    handleSIGTERM: false,
  });
}
