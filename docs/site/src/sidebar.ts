import type { Page } from './pages.ts';
import { titleOf } from './pages.ts';

export type Entry = { readonly title: string; readonly url: string };
export type Group = { readonly title: string; readonly entries: readonly Entry[] };

/** A page by its file with a short title, or an address that is no page of a file. */
type Named = readonly [title: string, file: string];

const first: readonly { title: string; pages: readonly Named[] }[] = [
  {
    title: 'Start',
    pages: [
      ['Overview', 'docs/README.md'],
      ['Start in two commands', 'docs/guides/start.md'],
      ['Glossary', 'docs/glossary.md'],
    ],
  },
  {
    title: 'Concepts',
    pages: [
      ['How a price is agreed', 'docs/concepts/price.md'],
      ['What a prepared call is', 'docs/concepts/prepared-call.md'],
      ['What a receipt is', 'docs/concepts/receipt.md'],
    ],
  },
  {
    title: 'Guides for integrators',
    pages: [
      ['Read a vault', 'docs/guides/read-a-vault.md'],
      ['Sign in', 'docs/guides/sign-in.md'],
      ['Prepare and send', 'docs/guides/prepare-and-send.md'],
      ['Change the fees', 'docs/guides/change-fees.md'],
      ['Receive webhooks', 'docs/guides/receive-webhooks.md'],
      ['Webhooks and channels', 'docs/webhooks.md'],
      ['Follow validators', 'docs/guides/follow-validators.md'],
      ['Use the API', 'docs/api/README.md'],
      ['Sessions, tokens, scopes', 'docs/api/sessions.md'],
      ['Analytics', 'docs/analytics.md'],
      ['Let an agent ask', 'docs/mcp.md'],
    ],
  },
  {
    title: 'Guides for curators',
    pages: [
      ['Operate a vault', 'docs/operate.md'],
      ['What a vault may execute', 'docs/merkle.md'],
      ['Write a strategy', 'docs/strategies.md'],
      ['The keeper', 'docs/keeper.md'],
      ['Write a mandate', 'docs/mandates.md'],
      ['Alerts', 'docs/alerts.md'],
      ['The audit log', 'docs/audit.md'],
      ['Analysis, feed and chat', 'docs/ai.md'],
    ],
  },
  {
    title: 'Guides for validators',
    pages: [
      ['Run a validator', 'docs/validators.md'],
      ['Keys', 'docs/validator-keys.md'],
    ],
  },
  {
    title: 'Put it into production',
    pages: [
      ['Step by step', 'docs/guides/production.md'],
      ['Install', 'docs/operations/install.md'],
      ['Real chains', 'docs/operations/real-chain.md'],
      ['RPC providers', 'docs/rpc.md'],
      ['Containers', 'deploy/README.md'],
      ['Kubernetes', 'docs/operations/kubernetes.md'],
      ['Images', 'docs/operations/images.md'],
      ['Keys of a key service', 'docs/operations/keys.md'],
      ['Alerts of the platform', 'docs/operations/alerts.md'],
      ['Traces', 'docs/operations/traces.md'],
      ['Backup and restore', 'docs/operations/backup.md'],
      ['Archive the log', 'docs/operations/archive.md'],
      ['The doctor', 'docs/operations/doctor.md'],
      ['Scaling', 'docs/operations/scaling.md'],
      ['Two of everything', 'docs/operations/soak.md'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['API', '/docs/api'],
      ['API, try it', '/docs/api/try'],
      ['SDK', '/docs/sdk'],
      ['SDK, what it exports', '/docs/sdk/types'],
      ['SDK, calls', '/docs/sdk/calls'],
      ['Command line', 'docs/cli.md'],
      ['Errors', 'docs/errors.md'],
      ['Kinds of change', 'docs/changes.md'],
      ['Settings', 'docs/configuration.md'],
      ['Settings of a validator', 'docs/validator-configuration.md'],
      ['Metrics', 'docs/metrics.md'],
      ['Collections', 'docs/collections.md'],
      ['Changelog', 'CHANGELOG.md'],
    ],
  },
];

/** The rest, by where the files are. */
const rest: readonly { title: string; holds: (file: string) => boolean }[] = [
  { title: 'Runbooks', holds: (file) => /^docs\/runbooks\/[^/]+$/.test(file) },
  { title: 'Runbooks of validators', holds: (file) => file.startsWith('docs/runbooks/validator/') },
  { title: 'Decisions', holds: (file) => file.startsWith('docs/decisions/') },
  { title: 'Contribute', holds: (file) => file.startsWith('docs/') || !file.includes('/') },
  { title: 'Parts of the repository', holds: () => true },
];

/** README of a folder is called by the folder, what else by its heading. */
function shortTitle(page: Page): string {
  const folder = /^(?:packages|services)\/(.+)\/README\.md$/.exec(page.file)?.[1];
  return folder ?? titleOf(page);
}

/** Files that the sidebar names and that are no pages. */
export function missingPages(pages: readonly Page[]): string[] {
  const files = new Set(pages.map(({ file }) => file));
  return first
    .flatMap((group) => group.pages.map(([, file]) => file))
    .filter((file) => !file.startsWith('/') && !files.has(file));
}

/** Every page once, in the order in which it is read. */
export function sidebarOf(pages: readonly Page[]): Group[] {
  const left = new Map(pages.map((page) => [page.file, page]));
  const take = (file: string): string => {
    const url = left.get(file)?.url ?? file;
    left.delete(file);
    return url;
  };
  const named = first.map((group) => ({
    title: group.title,
    entries: group.pages.map(([title, file]) => ({ title, url: take(file) })),
  }));
  const others = rest.map(({ title, holds }) => {
    const found = [...left.values()].filter(({ file }) => holds(file));
    const index = ({ file }: Page) => (/README\.md$/.test(file) ? 0 : 1);
    found.sort((a, b) => index(a) - index(b));
    return { title, entries: found.map((page) => ({ title: shortTitle(page), url: take(page.file) })) };
  });
  return [...named, ...others].filter(({ entries }) => entries.length > 0);
}
