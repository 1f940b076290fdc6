import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import Markdown from 'react-markdown';
import { defineConfig, type Plugin } from 'vite';
import { recordInputs } from './build/record-inputs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

// `npm run dev` names the gateway of its own system.
const gateway = process.env.GATEWAY_URL ?? 'http://127.0.0.1:8080';
// The gateway answers pages of its own origin only, so the proxy speaks as one.
const api = { target: gateway, headers: { origin: process.env.GATEWAY_ORIGIN ?? gateway } };

/** Brotli's best takes 3.7 s of processor time for all files; 8 takes 0.2 s and leaves 7 % more, which a build for this machine alone may. */
const quality = process.env.WEB_COMPRESSION === 'quick' ? 8 : constants.BROTLI_MAX_QUALITY;

/** Lays compressed copies beside the files, once, so that the gateway need not compress them for every visitor. */
const compressed = (): Plugin => ({
  name: 'compressed-copies',
  apply: 'build',
  writeBundle({ dir = 'dist' }) {
    for (const file of globSync(`${dir}/**/*.{js,css,html,svg,webmanifest}`)) {
      const bytes = readFileSync(file);
      writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }));
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
});

/** The modules that each page begins with, by the first step of its path, as the router and the API import them. */
const pages = {
  '': ['home/home-page.tsx'],
  vaults: ['home/home-page.tsx'],
  'managed-vaults': ['vault-page/public-page.tsx'],
  compare: ['compare/compare-page.tsx'],
  validators: ['validators/validators-page.tsx'],
  operate: ['operate/operate.tsx', 'client/operate-routes.ts'],
};

/**
 * Lists the scripts each page needs before its first sight, so that the gateway names them in the page: otherwise the
 * browser learns of them only once the first script has run.
 */
const preloads = (): Plugin => ({
  name: 'preloads',
  apply: 'build',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
    const withImports = (name: string, seen: Set<string>): Set<string> => {
      if (seen.has(name)) return seen;
      seen.add(name);
      for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) withImports(next, seen);
      return seen;
    };
    const entry = chunks.find(({ isEntry }) => isEntry);
    const already = withImports(entry?.fileName ?? '', new Set());
    const listed = Object.entries(pages).map(([step, modules]) => {
      const needed = new Set<string>();
      for (const module of modules) {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/${module}`));
        if (chunk === undefined) throw new Error(`${module} is not a chunk of its own.`);
        withImports(chunk.fileName, needed);
      }
      return [step, [...needed].filter((name) => !already.has(name)).map((name) => `/${name}`)];
    });
    this.emitFile({ type: 'asset', fileName: 'preloads.json', source: JSON.stringify(Object.fromEntries(listed)) });
  },
});

const alertsRunbook = fileURLToPath(new URL('../docs/runbooks/alerts.md', import.meta.url));

/** The runbook of the alerts as a page, each rule under its name, for those who have no copy of the repository at hand. */
const runbooks = (): Plugin => ({
  name: 'runbooks',
  apply: 'build',
  buildStart() {
    this.addWatchFile(alertsRunbook);
  },
  generateBundle() {
    const text = readFileSync(alertsRunbook, 'utf8');
    const components = {
      h2: ({ children }: { children?: unknown }) => createElement('h2', { id: String(children) }, String(children)),
      // Its links lead through the repository, which is not served.
      a: ({ children }: { children?: unknown }) => createElement('code', {}, String(children)),
    };
    const main = renderToStaticMarkup(createElement(Markdown, { components }, text));
    const head =
      '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Alerts of vaults</title><link rel="stylesheet" href="/docs/style.css">';
    const source = `<!doctype html><html lang="en"><head>${head}</head><body><main>${main}</main></body></html>`;
    this.emitFile({ type: 'asset', fileName: 'runbooks/alerts.html', source });
  },
});

const plugins = [react(), tailwindcss(), preloads(), runbooks(), compressed()];

export default defineConfig(({ command }) => ({
  plugins: command === 'build' ? recordInputs(root, plugins) : plugins,
  build: {
    target: 'es2022',
    // The content policy has no data: fonts, so nothing is inlined.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // What changes with a release of ours and what changes with one of theirs are cached apart.
        codeSplitting: {
          groups: [
            // Evaluated before every other chunk; as a part of the entry it would come after all that the entry imports.
            { name: 'first', test: /web[\\/]src[\\/]app[\\/](trusted-types|no-eval)\.ts$/ },
            { name: 'react', test: /node_modules[\\/](react|react-dom|react-router|scheduler)[\\/]/ },
            { name: 'query', test: /node_modules[\\/](zod|@tanstack[\\/](query-core|react-query))[\\/]/ },
            // Small modules that many pages share, in one file: each file costs a request and a kilobyte of headers.
            { name: 'common', minShareCount: 16 },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      '/api': api,
      '/idp': api,
      '/.well-known': api,
      '/config.json': api,
      '/runbooks': api,
      '/docs': api,
      '/mcp': api,
      '/socket.io': { ...api, ws: true },
    },
  },
}));
