import { type VaultDetail, type VaultSection, vaultSectionPath, vaultSections } from '@castellan/contracts';

/** What a link to a page shows where no script runs: search engines, messengers. */
export type PageHead = { title: string; description: string; canonical: string; image: string; isListed: boolean };

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it stands in an element or in a quoted attribute. Names of vaults are written by strangers. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (each) => entities[each] ?? '');

/** JSON as it stands in a script element, which only `</script` or `<!--` could leave. */
const escapeJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const replacedTags =
  /<title>[^<]*<\/title>\s*|<meta (?:name|property)="(?:description|og:title|og:description|og:url|og:image)"[^>]*>\s*/g;

// Replacements are functions: in a replacement text `$&` and its like would be read as commands.
const insertBefore = (html: string, mark: string, text: string): string => html.replace(mark, () => `${text}${mark}`);

/** The page with its own title, description and address instead of the general ones. */
export function withHead(html: string, { title, description, canonical, image, isListed }: PageHead): string {
  const meta = (kind: 'name' | 'property', key: string, content: string) =>
    `<meta ${kind}="${key}" content="${escapeHtml(content)}" />`;
  const tags = [
    `<title>${escapeHtml(title)}</title>`,
    meta('name', 'description', description),
    meta('property', 'og:title', title),
    meta('property', 'og:description', description),
    meta('property', 'og:url', canonical),
    meta('property', 'og:image', image),
    `<link rel="canonical" href="${escapeHtml(canonical)}" />`,
    ...(isListed ? [] : [meta('name', 'robots', 'noindex')]),
  ];
  return insertBefore(html.replaceAll(replacedTags, ''), '</head>', `${tags.join('\n    ')}\n  `);
}

/** The page that asks for these scripts at once, instead of when its first script has run. */
export const withPreloads = (html: string, scripts: readonly string[]): string =>
  insertBefore(
    html,
    '</head>',
    scripts.map((href) => `<link rel="modulepreload" crossorigin href="${escapeHtml(href)}">`).join(''),
  );

/** The page with what it would ask for first; a data block, which the content policy does not run. */
export const withCarried = (html: string, carried: object): string =>
  insertBefore(html, '</body>', `<script type="application/json" id="carried">${escapeJson(carried)}</script>`);

const states: Readonly<Record<VaultDetail['operational_state'], string>> = {
  live: 'Live.',
  paused: 'Paused.',
  awaiting_price: 'Waiting for a price.',
  stale: 'Its price is out of date.',
  underfunded: 'Its upkeep is underfunded.',
};

const dollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  maximumFractionDigits: 2,
});

type Shown = { vault: VaultDetail; chainName: string; section: VaultSection };

/** Title, description and the one address of a part of a vault's public page, from the vault's snapshot. */
export function vaultHead({ vault, chainName, section }: Shown, publicUrl: string): PageHead {
  const { name, symbol, asset, tvl_usd, current_pps_display, operational_state, chain_slug, vault_address } = vault;
  const worth = tvl_usd === null ? '' : ` ${dollars.format(tvl_usd)} in it.`;
  const price = current_pps_display === null ? '' : ` One share is ${current_pps_display} ${asset.symbol}.`;
  const part = section === 'overview' ? '' : `${vaultSections[section]} · `;
  return {
    title: `${part}${name} (${symbol}) · Castellan`,
    description: `${name}, a vault for ${asset.symbol} on ${chainName}. ${states[operational_state]}${worth}${price} Its price and how old it is, its risk, its managers.`,
    canonical: `${publicUrl}${vaultSectionPath(chain_slug, vault_address, section)}`,
    image: `${publicUrl}/social.png`,
    isListed: vault.activation.is_discoverable,
  };
}
