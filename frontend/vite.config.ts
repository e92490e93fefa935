import { fileURLToPath } from 'node:url'

import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

import { compressed } from './scripts/compressed.ts'

const backend = 'http://127.0.0.1:8300'

export default defineConfig(({ command }) => ({
  base: command === 'build' ? '/static/' : '/',
  plugins: [react(), tailwindcss(), compressed()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    manifest: true,
    // A studio that is up serves the files of its own build; the launcher clears the old ones away.
    emptyOutDir: false,
    target: 'es2022',
    // A strict Content-Security-Policy forbids data: scripts and fonts, so nothing is inlined.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    modulePreload: { polyfill: false },
    // One sheet: Vite asks once for the sheet of a lazy part, and shows the part bare if that failed.
    cssCodeSplit: false,
    // light-dark() is kept as written: it follows the theme that the account menu sets.
    cssTarget: ['chrome123', 'safari17.5', 'firefox121'],
  },
  worker: { format: 'es' },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      ['/api', '/login/once', '/admin', '/static'].map((path) => [
        path,
        { target: backend, changeOrigin: false },
      ]),
    ),
  },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/lib/tests/setup.ts'],
    testTimeout: 60_000,
    // Modules are loaded once for all files: a fifth of the time. Tests clean up after themselves.
    isolate: false,
    restoreMocks: true,
  },
}))
