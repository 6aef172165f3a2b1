import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

// One HTML file with everything inside: it must open from disk, with no server and no network.
export default defineConfig({
  base: './',
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: { target: 'es2022', emptyOutDir: true, modulePreload: false, chunkSizeWarningLimit: 4000 },
});
