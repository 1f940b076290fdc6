import { CircleX, Wrench } from 'lucide-react';
import { formatMilliseconds } from '../format/time.ts';
import type { Tool } from './protocol.ts';

const words = (name: string): string => {
  const plain = name.replaceAll('_', ' ');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}`;
};

/** What was looked at for an answer: each call with its arguments and how long it took. */
export function ToolCalls({ tools }: { tools: readonly Tool[] }) {
  if (tools.length === 0) return null;
  return (
    <ul aria-label="What was looked at" className="flex flex-col gap-1">
      {tools.map(({ name, args, ms, ok }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls of an answer do not move
        <li key={index}>
          <details className="rounded-control border text-12">
            <summary className="flex min-h-6 cursor-pointer items-center gap-1.5 px-2 py-0.5 text-muted">
              {ok ? (
                <Wrench size={12} aria-hidden="true" className="shrink-0" />
              ) : (
                <CircleX size={12} aria-hidden="true" className="shrink-0 text-danger" />
              )}
              <span className="min-w-0 truncate">{words(name)}</span>
              <span className="ml-auto shrink-0 tabular-nums">
                {ok ? formatMilliseconds(ms) : `failed, ${formatMilliseconds(ms)}`}
              </span>
            </summary>
            <pre className="border-t px-2 py-1 font-mono break-all whitespace-pre-wrap">
              {JSON.stringify(args, undefined, 2)}
            </pre>
          </details>
        </li>
      ))}
    </ul>
  );
}
