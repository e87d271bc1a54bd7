import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { iconSprite } from './scripts/icon-sprite.ts';

const ICON = new URL('src/ui/icon.ts', import.meta.url).pathname;
const NO_SCROLLING = new URL('src/ui/no-scrolling.ts', import.meta.url).pathname;

const FIRST_FILES = /\/(?:rolldown-runtime|libraries|base)-/;

export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwind(), iconSprite()],
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
    // The files of the first page are there before any other is asked for.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, files) => files.filter((file) => !FIRST_FILES.test(file)),
    },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Libraries change less often than the console: their file stays in the browser's cache.
        codeSplitting: {
          groups: [
            {
              name: 'libraries',
              test: /node_modules\/(?:react|react-dom|scheduler|@tanstack\/(?!(?:react-)?virtual|react-router\/dist\/esm\/useBlocker)[\w-]+|openapi-fetch|use-sync-external-store)\//,
            },
            // Long lists and threads alone need it: the first page does without.
            {
              name: 'virtual',
              test: /node_modules\/@tanstack\/(?:react-)?virtual|console\/src\/ui\/lists\/pinned-row\./,
            },
            // What each page loads is one file: by themselves, small files are a fifth larger.
            {
              name: 'base',
              test: /console\/src\/(?:app\/(?!routes\/(?!home|inbox|later|root)|palette|key-help|keyboard|ref-links|sign-in\.|frame\/(?:account|notifications)\.)|main|areas\/inbox\/visitor-name\.|ui\/(?:lists\/(?:selection|filter-toggle)|times\/time|channels|popover|stored-flag|stored-id|intent-key|keys|parts|lazily|icon)\.|api\/(?!blocklist|media|outbound|overview|knowledge|ai|runs|run-stream|settings|insights|analytics|audit|operator|transfers|refetching\/patience))|lucide-react\/dist\/esm\/icons\/(?:arrow-left|check|clock|ellipsis|list-filter|x|zap)\./,
            },
            { name: 'page', test: /console\/src\/ui\/(?:page|kept-focus|section)\./ },
            // What opens after a click or a key comes in few files.
            {
              name: 'forms',
              test: /console\/src\/ui\/(?:dialogs\/(?:dialog|dialog-answers|form-dialog|request)|forms\/form-end)\./,
            },
            {
              name: 'head-menus',
              test: /console\/src\/areas\/inbox\/head\/(?:assignee-picker|snooze-menu|status-menu|tag-picker)\./,
            },
            { name: 'jobs', test: /console\/src\/areas\/inbox\/bulk\/jobs\./ },
            {
              name: 'inbox',
              test: /console\/src\/areas\/inbox\/(?:inbox|views|session-row|list\/(?:list-head|rows|session-list))\./,
            },
            {
              name: 'conversation',
              test: /console\/src\/areas\/inbox\/(?:conversation|composer\/(?:composer|drafts|draft-entries|draft-store))\./,
            },
            { name: 'overview', test: /console\/src\/(?:app\/ref-links|api\/overview|areas\/contacts\/names)\./ },
          ],
        },
      },
    },
  },
});
