import './app/trusted-types.ts';
import './app/no-eval.ts';
import './design/styles.css';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { carriedBy, seed } from './app/carried.ts';
import { once } from './app/once.ts';
import { loadArrival, presentPath } from './app/pages.ts';
import { Start } from './app/start.tsx';
import { createApi, staleMs } from './client/api.ts';
import { type AppConfig, loadConfig } from './client/config.ts';
import { dropAllDrafts } from './client/drafts.ts';
import { createQueries } from './client/query-client.ts';
import { createSession, followOtherTabs } from './client/session.ts';
import { loadFontsAfterFirstPaint } from './design/fonts.ts';
import { followSystemTheme } from './design/theme.ts';

followSystemTheme();
loadFontsAfterFirstPaint(document.documentElement);

const session = createSession(localStorage);
followOtherTabs(session);
session.onEnd((reason) => {
  if (reason === 'logout') dropAllDrafts(localStorage);
});
const api = createApi(session, window.fetch.bind(window));
const queries = createQueries();
const carried = carriedBy(document);
if (carried !== undefined) seed(queries, carried);

function build(config: AppConfig) {
  const wallets = once(async () => (await import('./wallet/wallets.ts')).openWallets(config));
  const services = { config, api, session, queries, staleMs, wallets };
  return <App services={services} />;
}

// Before anything is drawn: led on by the router, the frame would be drawn first, without a page in it.
const { pathname, search, hash } = window.location;
const path = presentPath(pathname);
if (path !== pathname) window.history.replaceState(null, '', `${path}${search}${hash}`);

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root.');
const load = () => loadConfig(window.fetch.bind(window));
const draw = () => createRoot(root).render(<Start known={carried?.config} load={load} build={build} />);
// Drawn in small steps, between which a phone still answers its owner. No `await` here: with one, the bundler keeps a file apart for
// each module that is imported later.
void loadArrival(path).then(() => startTransition(draw));
