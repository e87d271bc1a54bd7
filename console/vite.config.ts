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
              test: /console\/src\/(?:app\/(?!palette|key-help|keyboard|sign-in\.|frame\/(?:account|notifications)\.)|main|ui\/(?:time|popover|stored-flag|keys|parts|lazily|icon)\.|api\/(?!audit|operator|outbound|knowledge|ai|runs|run-stream))|lucide-react\/dist\/esm\/icons\/(?:check|clock|x|list-filter)\./,
            },
          ],
        },
      },
    },
  },
});
