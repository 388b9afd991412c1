import path from 'node:path';
import { defineConfig } from 'vite';

/**
 * React Aria adds a <style> element unless the page has an element with this id, and the page's policy forbids <style>.
 * The rule itself is in base.css.
 */
const pressableStyle = {
  name: 'pressable-style',
  transformIndexHtml: {
    order: 'post',
    handler: (html) => html.replace('<link rel="stylesheet"', '<link id="react-aria-pressable-style" rel="stylesheet"'),
  },
};

/** For `npm run console:dev`: the server that answers, and a token of it. Neither gets into the page. */
const { WAYSTATION_API_URL: server = 'http://127.0.0.1:8000', WAYSTATION_TOKEN: token } = process.env;

export default defineConfig({
  root: import.meta.dirname,
  configFile: false,
  base: '/console/',
  publicDir: false,
  plugins: [pressableStyle],
  build: {
    outDir: path.join(import.meta.dirname, '..', 'dist', 'console'),
    // The build of the program removes what earlier builds left.
    emptyOutDir: false,
    assetsInlineLimit: 0,
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    // scripts/build-console.mjs has the limit that counts.
    reportCompressedSize: false,
    chunkSizeWarningLimit: 5_000,
    rolldownOptions: {
      // "use client" means something to servers that render pages; there is none here.
      onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
    },
  },
  server: {
    proxy: {
      '^/(?!console)': { target: server, ...(token ? { headers: { authorization: `Bearer ${token}` } } : {}) },
    },
  },
});
