import type { ReactNode } from 'react';
import Markdown, { type Components } from 'react-markdown';
import { Link } from 'react-router';
import rehypeSanitize, { type Options as Schema } from 'rehype-sanitize';
import { Untraced } from '../ai/marked-text.tsx';
import { type Doubtful, piecesOf } from '../ai/ungrounded.ts';
import { safeLink } from '../feed/words.ts';
import { typeset } from '../format/typeset.ts';

/** What an answer may be made of. No images: reading one would tell its host; no raw HTML; headings are not the page's. */
const schema: Schema = {
  tagNames: [
    ...['p', 'br', 'hr', 'strong', 'em', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a'],
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  ],
  attributes: { a: ['href'], ol: ['start'] },
  protocols: { href: ['http', 'https'] },
  strip: ['script', 'style'],
};

type Node = { type: string; value?: string; tagName?: string; properties?: object; children?: Node[] };

/** Wraps what could not be traced, wherever in the answer it stands. */
const markDoubtful = (doubtful: readonly Doubtful[]) => () => (tree: unknown) => {
  const walk = (node: Node): Node[] => {
    if (node.type !== 'text') return [{ ...node, ...(node.children && { children: node.children.flatMap(walk) }) }];
    return piecesOf(node.value ?? '', doubtful).map(({ text, isDoubtful }): Node => {
      const plain: Node = { type: 'text', value: typeset(text) };
      return isDoubtful ? { type: 'element', tagName: 'mark', properties: {}, children: [plain] } : plain;
    });
  };
  const root = tree as Node;
  root.children = root.children?.flatMap(walk) ?? [];
};

const review = /^\/operate\/review\/[\w-]{1,100}$/;

/** Prepared calls open here; web pages elsewhere, with their host in sight; nothing else is a link. */
function Anchor({ href = '', children }: { href?: string | undefined; children?: ReactNode }) {
  if (review.test(href)) {
    return (
      <Link to={href} className="link">
        {children}
      </Link>
    );
  }
  const link = safeLink(href);
  if (link === undefined) return children;
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow" className="link">
      {children}
      <span className="text-12 text-muted">{` (${link.host})`}</span>
      <span className="sr-only">, opens in a new tab</span>
    </a>
  );
}

const Title = ({ children }: { children?: ReactNode }) => <p className="font-semibold">{children}</p>;

const components: Components = {
  a: ({ href, children }) => <Anchor href={href}>{children}</Anchor>,
  mark: ({ children }) => <Untraced>{children}</Untraced>,
  ...{ h1: Title, h2: Title, h3: Title, h4: Title, h5: Title, h6: Title },
  ul: ({ children }) => <ul className="flex list-disc flex-col gap-1 pl-5">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="flex list-decimal flex-col gap-1 pl-5">
      {children}
    </ol>
  ),
  code: ({ children }) => <code className="rounded bg-raised px-1 font-mono text-12 break-all">{children}</code>,
  pre: ({ children }) => <pre className="rounded-control bg-raised p-2 whitespace-pre-wrap">{children}</pre>,
  blockquote: ({ children }) => <blockquote className="border-l-2 pl-3 text-muted">{children}</blockquote>,
  hr: () => <hr className="border-t" />,
};

/** An answer as its author structured it. Whatever the text holds, it becomes words, lists and checked links. */
export const AnswerText = ({ text, doubtful }: { text: string; doubtful: readonly Doubtful[] }) => (
  <div className="flex min-w-0 flex-col gap-2 break-words">
    <Markdown skipHtml rehypePlugins={[[rehypeSanitize, schema], markDoubtful(doubtful)]} components={components}>
      {text}
    </Markdown>
  </div>
);
