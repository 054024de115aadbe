import { defineConfig } from 'vite';

/** For `npm run dev:web`: a running Paybell and its key. */
const PAYBELL_URL = process.env['PAYBELL_URL'] ?? 'http://127.0.0.1:3000';
const PAYBELL_API_KEY = process.env['PAYBELL_API_KEY'] ?? '';
const PAYBELL_PATHS = '^/(api|health|sandbox|openapi\\.json|dashboard/(session|sign-out))';

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  // The server puts a fresh nonce into each answer. React Aria's styles use it; scripts are files and need none.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // A file inlined as a data: URL would be refused by the page's Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // `use client` is for frameworks that render on a server.
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: {
    proxy: { [PAYBELL_PATHS]: { target: PAYBELL_URL, headers: { 'x-api-key': PAYBELL_API_KEY } } },
  },
});
