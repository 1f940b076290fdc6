import { createHash } from 'node:crypto';
import highlight from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import ini from 'highlight.js/lib/languages/ini';
import json from 'highlight.js/lib/languages/json';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import MarkdownIt, { type Token } from 'markdown-it';

for (const [name, language] of Object.entries({ bash, ini, json, typescript, yaml }))
  highlight.registerLanguage(name, language);

const languages: Readonly<Record<string, string>> = {
  sh: 'bash',
  bash: 'bash',
  ts: 'typescript',
  js: 'typescript',
  json: 'json',
  toml: 'ini',
  yaml: 'yaml',
};

/** Text as HTML shows it. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Code as marked-up HTML; a language without a grammar stays plain. */
export function codeHtml(code: string, name: string): string {
  const language = languages[name];
  return language === undefined ? escapeHtml(code) : highlight.highlight(code, { language }).value;
}

/** The id that a heading has, as GitHub makes it. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

export type Heading = { readonly level: number; readonly text: string; readonly id: string };
/** Words below a heading, for the search. */
export type Section = { readonly heading: string; readonly id: string; readonly text: string };
export type Rendered = {
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
  /** Targets of its links and pictures as they are written. */
  readonly links: readonly string[];
};

/** What a piece of text says, without its marks. */
const plainOf = (token: Token): string =>
  (token.children ?? [])
    .map((child) => (child.type === 'softbreak' ? ' ' : child.type === 'image' ? '' : child.content))
    .join('');

/** How a page's links and pictures stand on the site. */
export type Targets = {
  /** @returns the address of a link's target; undefined leaves it as it is. */
  readonly link: (target: string) => string | undefined;
  /** @returns HTML in place of a picture. */
  readonly picture: (target: string, description: string) => string;
};

const asWritten: Targets = { link: () => undefined, picture: () => '' };

function idsOf(): (text: string) => string {
  const taken = new Map<string, number>();
  return (text) => {
    const slug = slugOf(text);
    const count = taken.get(slug) ?? 0;
    taken.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/** Gives headings their ids, and collects headings, links and the words of each section. */
function survey(tokens: Token[]): Omit<Rendered, 'html'> {
  const headings: Heading[] = [];
  const links: string[] = [];
  const sections: { heading: string; id: string; text: string }[] = [{ heading: '', id: '', text: '' }];
  const nextId = idsOf();
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (token.type === 'inline') {
      for (const child of token.children ?? []) {
        const target = child.attrGet('href') ?? child.attrGet('src');
        if (target !== null) links.push(String(target));
      }
    }
    if (token.type === 'inline' && before?.type === 'heading_open') {
      const text = plainOf(token);
      const id = nextId(text);
      before.attrSet('id', id);
      headings.push({ level: Number(before.tag.slice(1)), text, id });
      if (before.tag === 'h1') continue;
      sections.push({ heading: text, id, text: '' });
    } else if (token.type === 'inline' || token.type === 'fence') {
      const section = sections.at(-1);
      if (section) section.text += ` ${token.type === 'fence' ? token.content : plainOf(token)}`;
    }
  }
  return { headings, links, sections };
}

function createRenderer() {
  const md = new MarkdownIt({ html: false, linkify: false });
  const { rules } = md.renderer;
  rules.table_open = () => '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.heading_close = (tokens, index) => {
    const id = tokens[index - 2]?.attrGet('id');
    const { tag } = tokens[index] as Token;
    return tag === 'h1' || !id
      ? `</${tag}>\n`
      : ` <a class="anchor" href="#${id}" aria-label="Link to this part">#</a></${tag}>\n`;
  };
  rules.fence = (tokens, index) => {
    const { content, info } = tokens[index] as Token;
    const name = info.trim().split(/\s+/)[0] ?? '';
    return `<pre tabindex="0"${name ? ` data-language="${escapeHtml(name)}"` : ''}><code>${codeHtml(content, name)}</code></pre>\n`;
  };
  rules.link_open = (tokens, index, options, env, self) => {
    const token = tokens[index] as Token;
    const target = String(token.attrGet('href') ?? '');
    token.attrSet('href', (env as Targets).link(target) ?? target);
    if (/^https?:/.test(target)) token.attrSet('rel', 'noreferrer');
    return self.renderToken(tokens, index, options);
  };
  rules.image = (tokens, index, _options, env) => {
    const token = tokens[index] as Token;
    return (env as Targets).picture(String(token.attrGet('src') ?? ''), token.content);
  };
  return md;
}

const renderer = createRenderer();

/** A page's text as HTML, with what the site needs to know of it. */
export function render(text: string, targets: Targets = asWritten): Rendered {
  const tokens = renderer.parse(text, targets);
  const known = survey(tokens);
  return { ...known, html: renderer.renderer.render(tokens, renderer.options, targets) };
}

/** Only what {@link render} knows of a page, without its HTML. */
export const surveyOf = (text: string): Omit<Rendered, 'html'> => survey(renderer.parse(text, asWritten));

/** Names a version of a file in the address of it. */
export const versionOf = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex').slice(0, 10);
