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

/** Words of a part of a page as they are collected. */
type Collected = { heading: string; id: string; text: string };

/**
 * Follows the tables of a page: cells learn the name of their column, which a narrow screen shows, and a row that begins with code, a
 * setting, an error code, a metric, is a place of its own that the search leads to.
 */
function tableReader(sections: Collected[]) {
  const columns: string[] = [];
  const nextId = idsOf();
  let row: Token | undefined;
  let inRow: Collected | undefined;
  let column = 0;
  return (token: Token, next: Token | undefined): Collected | undefined => {
    if (token.type === 'thead_open') columns.length = 0;
    if (token.type === 'th_open' && next) columns.push(plainOf(next));
    if (token.type === 'tr_open') {
      row = token;
      column = 0;
    }
    if (token.type === 'td_open') {
      token.attrSet('data-label', columns[column] ?? '');
      const [first] = next?.children ?? [];
      if (column === 0 && row && first?.type === 'code_inline') {
        inRow = { heading: first.content, id: `row-${nextId(first.content)}`, text: '' };
        row.attrSet('id', inRow.id);
        sections.push(inRow);
      }
      column += 1;
    }
    if (token.type === 'tr_close') inRow = undefined;
    return inRow;
  };
}

/** Gives headings their ids, and collects headings, links and the words of each section. */
function survey(tokens: Token[]): Omit<Rendered, 'html'> {
  const headings: Heading[] = [];
  const links: string[] = [];
  const sections: Collected[] = [{ heading: '', id: '', text: '' }];
  const nextId = idsOf();
  const rowAt = tableReader(sections);
  let section = sections[0] as Collected;
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    const row = rowAt(token, tokens[index + 1]);
    if (token.type === 'fence') section.text += ` ${token.content}`;
    if (token.type !== 'inline') continue;
    for (const child of token.children ?? []) {
      const target = child.attrGet('href') ?? child.attrGet('src');
      if (target !== null) links.push(String(target));
    }
    const text = plainOf(token);
    if (before?.type !== 'heading_open') (row ?? section).text += ` ${text}`;
    else {
      const id = nextId(text);
      before.attrSet('id', id);
      headings.push({ level: Number(before.tag.slice(1)), text, id });
      if (before.tag === 'h1') continue;
      section = { heading: text, id, text: '' };
      sections.push(section);
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
