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

/** The shapes of answers: of a page that carries none of its figures, since it has to ask for them before it shows any. */
const shapes = 'client/public-start-routes.ts';

/** What Operate begins with, whichever of its pages it is. */
const operate = [
  shapes,
  'operate/operate.tsx',
  'client/operate-start-routes.ts',
  'home/attention-badge.tsx',
  'wallet/account-actions.tsx',
  'wallet/session-watch.tsx',
];

const operatedVault = [...operate, 'operate/vault-shell.tsx', 'operate/operate-vault.tsx'];

/**
 * The modules that each page begins with, as the router, the API and the layout import them: by the first step of its path, and
 * where its pages differ by the shape of what follows.
 */
const pages = {
  '': ['home/home-page.tsx'],
  vaults: ['home/home-page.tsx'],
  'managed-vaults': ['vault-page/public-page.tsx'],
  compare: ['compare/compare-page.tsx', shapes, 'client/public-routes.ts'],
  validators: ['validators/validators-page.tsx', shapes],
  operate: [...operate, 'desk/desk-page.tsx'],
  'operate/*': [...operate, 'client/operate-routes.ts'],
  'operate/*/*': operatedVault,
  'operate/*/*/*': [...operate, 'operate/vault-shell.tsx', 'operate/operate-pages.tsx', 'client/operate-routes.ts'],
  'operate/*/*/*/*': operatedVault,
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
        const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/web/src/${module}`)));
        if (chunk === undefined) throw new Error(`No chunk has ${module}.`);
        withImports(chunk.fileName, needed);
      }
      if (!modules.includes(shapes) && [...needed].some((name) => name.includes('shapes-'))) {
        throw new Error(
          `The first sight of /${step} waits for the shapes of answers: a module of it imports a schema.`,
        );
      }
      return [step, [...needed].filter((name) => !already.has(name)).map((name) => `/${name}`)];
    });
    this.emitFile({ type: 'asset', fileName: 'preloads.json', source: JSON.stringify(Object.fromEntries(listed)) });
  },
});

/** The modules of the web that the patterns name; what they import comes with them, unless a group before has it. */
const ours = (...modules: string[]) => new RegExp(`/web/src/(${modules.join('|')})\\.tsx?$`);
const theirs = (...modules: string[]) => new RegExp(`/node_modules/(${modules.join('|')})\\.m?js$`);
const either = (...patterns: RegExp[]) => new RegExp(patterns.map(({ source }) => source).join('|'));

/**
 * Which modules share a file, the first group that takes one keeps it. Each file costs a request and a kilobyte of headers, each
 * byte in a file that a page does not use costs its time: so what first views begin with together is one file each, and what
 * no group takes is split by the pages that use it. `tests/e2e/pages` holds what the first views cost.
 */
const groups = [
  // What changes with a release of ours and what changes with one of theirs are cached apart.
  {
    name: 'react',
    test: /node_modules[\\/](react|react-dom|react-router|scheduler|@tanstack[\\/](query-core|react-query))[\\/]/,
  },
  // All pages: first what the entry imports first, which in the entry's own file would come after all that it imports. The lists of the
  // contracts have no schemas; in the file of the shapes, the first sight would wait for that.
  {
    name: 'start',
    test: either(
      ours(
        'app/(trusted-types|no-eval)',
        'app/(app|start|carried|once|router|layout|pages|page-of)',
        'client/(api|config|drafts|session|query-client)',
      ),
      /packages\/contracts\/src\/(retryable-codes|analytics\/formulas-version|vaults\/(live|sections))\.ts$/,
    ),
  },
  // Lists of vaults and the page of one, for visitors and in Operate.
  {
    name: 'common',
    test: either(
      ours(
        'design/(address-tag|card|choice|pill|states|table)',
        'format/(address|amount|figures|time)',
        'live/(not-updated|read-trouble)',
        'alerts/queries',
        'charts/download',
        'compare/chosen',
        'data/(lasting-error|streamed)',
        'home/vault-columns',
        'redemptions/paid-from',
        'validators/network',
        'vault/pending-manager-change',
      ),
      theirs('lucide-react/dist/esm/icons/(download|trash)', 'viem/_esm/utils/address/getAddress'),
    ),
  },
  // The shapes of what public pages ask for, which come after their first sight: those of an overview and what all shapes are made of, those
  // of the rest of a first view, and those of the sections; a phone runs each file in a step.
  { name: 'overview-shapes', test: either(ours('client/overview-routes'), /node_modules[\\/]zod[\\/]/) },
  { name: 'shapes', test: ours('client/public-start-routes') },
  { name: 'section-shapes', test: ours('client/public-routes') },
  // All pages of somebody who is signed in; then the shapes of what only they ask for.
  {
    name: 'signed-in',
    test: ours(
      'design/asked-button',
      'operate/operate',
      'wallet/(account-actions|session-watch)',
      'home/(attention-badge|attention-list)',
      'lists/(columns|export)',
      'client/operate-start-routes',
    ),
  },
  { name: 'operate-routes', test: ours('client/operate-routes') },
  // The page of a vault, and its frame in Operate.
  { name: 'vault', test: ours('vault-page/(section-gate|sections)', 'vault/(passport|vault-notices)') },
  { name: 'operate-vault', test: ours('operate/(operate-vault|vault-shell)') },
  // The sections of a vault and lists, beyond the first view.
  {
    name: 'tables',
    test: ours(
      'design/(plain-table|scroll-region)',
      'lists/(export-button|more|rows-table|when)',
      'receipts/(read-failure|use-pages)',
    ),
  },
  { name: 'fields', test: ours('design/(field|switch)', 'format/typed', 'lists/day(s|-fields)') },
  // Dialogs, menus and tabs.
  {
    name: 'controls',
    test: either(
      ours('design/(dialog|tabs)', 'signing/prepare-dialog', 'calls/(call-states|state-pill)'),
      theirs('react-aria-components/dist/private/Tabs', 'viem/_esm/utils/unit/[a-zA-Z]+'),
    ),
  },
  {
    name: 'wallet',
    test: ours('wallet/(connected-wallet|fresh-signature|leave-wallet|sign-in-again-button|wallets|with-wallets)'),
  },
  { name: 'signing', test: ours('signing/sign-with-wallet', 'calls/send-with-wallet') },
];

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
  // The dialog of WalletConnect, which is never asked for and so not installed (docs/decisions/0025-walletconnect-without-its-dialog.md).
  resolve: { alias: { '@reown/appkit/core': fileURLToPath(new URL('build/no-dialog.ts', import.meta.url)) } },
  build: {
    target: 'es2022',
    // The content policy has no data: fonts, so nothing is inlined.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: { groups },
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
