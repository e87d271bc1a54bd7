import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const ICON = new URL('src/ui/icon.ts', import.meta.url).pathname;

export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwind()],
  resolve: {
    alias: [
      { find: /^\.\/Icon\.mjs$/, replacement: ICON },
      // React has the hook itself: nothing has to stand in for it.
      { find: 'use-sync-external-store/shim/with-selector', replacement: 'use-sync-external-store/with-selector' },
    ],
  },
  build: {
    target: 'es2024',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Libraries change less often than the console: their file stays in the browser's cache.
        codeSplitting: {
          groups: [
            {
              name: 'libraries',
              test: /node_modules\/(?:react|react-dom|scheduler|@tanstack|openapi-fetch|use-sync-external-store)\//,
            },
            // Small modules that most pages need: a file for each costs more than it saves.
            {
              name: 'shared',
              test: /console\/src\/(?:api\/|ui\/(?:time|popover|parts|keys|icon|lazily|stored-flag))|icons\/(?:x|check|ellipsis)\.m?js/,
            },
          ],
        },
      },
    },
  },
});
