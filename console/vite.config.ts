import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const ICON = new URL('src/ui/icon.ts', import.meta.url).pathname;
const NO_SCROLLING = new URL('src/ui/no-scrolling.ts', import.meta.url).pathname;

export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwind()],
  resolve: {
    alias: [
      { find: /^\.\.?\/createLucideIcon\.mjs$/, replacement: ICON },
      { find: /^\.\/scroll-restoration\.js$/, replacement: NO_SCROLLING },
      // React has the hook itself, so the package for older versions is left out.
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
            // What each page loads is one file: by themselves, small files are a fifth larger.
            {
              name: 'base',
              test: /console\/src\/(?:app\/(?!routes\/(?!home|inbox|later|root)|palette|key-help|keyboard|ref-links|sign-in\.|frame\/(?:account|notifications)\.)|main|ui\/(?:lists\/(?:selection|filter-toggle)|time|popover|stored-flag|intent-key|keys|parts|lazily|icon)\.|api\/(?!outbound|overview|knowledge|ai|runs|run-stream|settings|insights|analytics|audit|operator|refetching\/patience))|lucide-react\/dist\/esm\/icons\/(?:arrow-left|check|clock|ellipsis|list-filter|x|zap)\./,
            },
            { name: 'jobs', test: /console\/src\/areas\/inbox\/bulk\/jobs\./ },
            {
              name: 'inbox',
              test: /console\/src\/areas\/inbox\/(?:inbox|views|session-row|list\/(?:list-head|rows|session-list))\./,
            },
            { name: 'overview', test: /console\/src\/(?:app\/ref-links|api\/overview|areas\/contacts\/names)\./ },
          ],
        },
      },
    },
  },
});
