import type { ReactNode } from 'react';
import Markdown, { type Components } from 'react-markdown';
import { Link } from 'react-router';
import rehypeSanitize, { type Options as Schema } from 'rehype-sanitize';
import { CitedText } from '../ai/cited-text.tsx';
import type { Doubtful } from '../ai/ungrounded.ts';
import { safeLink } from '../feed/feed-labels.ts';
import { answerBlocks } from './answer-blocks.ts';
import { AnswerTable } from './answer-table.tsx';

/** What an answer may be made of. No images: loading one would reveal the reader to its host; no raw HTML; headings are not the page's. */
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

/**
 * Makes each text of the tree an element of its own, to be shown with its marks. It comes behind the cleaning, so that no answer can
 * hold one itself.
 */
const textsAsElements = () => (tree: unknown) => {
  const walk = (node: Node): Node => {
    if (node.type !== 'text') return { ...node, ...(node.children && { children: node.children.map(walk) }) };
    return { type: 'element', tagName: 'data', properties: {}, children: [node] };
  };
  const root = tree as Node;
  root.children = root.children?.map(walk) ?? [];
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

const componentsWith = (doubtful: readonly Doubtful[]): Components => ({
  a: ({ href, children }) => <Anchor href={href}>{children}</Anchor>,
  data: ({ children }) => <CitedText text={String(children ?? '')} doubtful={doubtful} />,
  h1: Title,
  h2: Title,
  h3: Title,
  h4: Title,
  h5: Title,
  h6: Title,
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
});

/** An answer as its author structured it. Whatever the text holds, it becomes words, lists, tables and checked links. */
export const AnswerText = ({ text, doubtful }: { text: string; doubtful: readonly Doubtful[] }) => (
  <div className="flex min-w-0 flex-col gap-2 break-words">
    {answerBlocks(text).map((block, index) =>
      block.kind === 'table' ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks of an answer do not move
        <AnswerTable key={index} rows={block.rows} doubtful={doubtful} />
      ) : (
        <Markdown
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks of an answer do not move
          key={index}
          skipHtml
          rehypePlugins={[[rehypeSanitize, schema], textsAsElements]}
          components={componentsWith(doubtful)}
        >
          {block.text}
        </Markdown>
      ),
    )}
  </div>
);
