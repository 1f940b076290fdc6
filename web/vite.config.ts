import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const gateway = 'http://127.0.0.1:8080';
// The gateway answers pages of its own origin only, so the proxy speaks as one.
const api = { target: gateway, headers: { origin: gateway } };

/** Lays compressed copies beside the files, once, so that the gateway need not compress them for every visitor. */
const compressed = (): Plugin => ({
  name: 'compressed-copies',
  apply: 'build',
  writeBundle({ dir = 'dist' }) {
    for (const file of globSync(`${dir}/**/*.{js,css,html,svg,webmanifest}`)) {
      const bytes = readFileSync(file);
      writeFileSync(`${file}.br`, brotliCompressSync(bytes));
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
});

export default defineConfig({
  plugins: [react(), tailwindcss(), compressed()],
  build: {
    target: 'es2022',
    // The content policy has no data: fonts, so nothing is inlined.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // What changes with a release of ours and what changes with one of theirs are cached apart.
        codeSplitting: {
          groups: [{ name: 'react', test: /node_modules[\\/](react|react-dom|react-router|scheduler)[\\/]/ }],
        },
      },
    },
  },
  server: { proxy: { '/api': api, '/idp': api, '/.well-known': api, '/config.json': api } },
});
