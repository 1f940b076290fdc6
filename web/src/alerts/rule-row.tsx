import type { ReactNode } from 'react';
import { Pill } from '../design/pill.tsx';
import { severityTones, severityWords } from './alert-labels.ts';
import type { AlertRule } from './queries.ts';

type Props = {
  title: string;
  severity: AlertRule['severity'];
  isOn: boolean;
  isOwn?: boolean;
  /** When it opens, in words with the unit of its threshold. */
  words: string;
  children: ReactNode;
};

/** There are more than twenty rules: closed, a row is what is looked for, with its threshold. */
export const RuleRow = ({ title, severity, isOn, isOwn = false, words, children }: Props) => (
  <li>
    <details>
      <summary className="cursor-pointer px-4 py-3 marker:text-muted hover:bg-raised">
        <span className="inline-flex max-w-[calc(100%-1.5rem)] flex-wrap items-center gap-x-2 gap-y-1 pl-1 align-top">
          <span className="font-medium">{title}</span>
          <Pill tone={severityTones[severity]}>{severityWords[severity]}</Pill>
          {isOwn ? <Pill tone="plain">Own</Pill> : null}
          {isOn ? null : <Pill tone="plain">Off</Pill>}
          <span className="w-full text-13 text-muted sm:w-auto">{words}</span>
        </span>
      </summary>
      <div className="flex flex-col gap-2 px-4 pb-4">{children}</div>
    </details>
  </li>
);
