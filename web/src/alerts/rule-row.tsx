import type { ReactNode } from 'react';
import { Pill } from '../design/pill.tsx';
import { severityTones, severityWords } from './alert-labels.ts';
import type { AlertRule } from './queries.ts';

/** There are more than twenty rules: closed, a row is what is looked for. */
export const RuleRow = ({
  rule: { title, severity, settings },
  children,
}: {
  rule: AlertRule;
  children: ReactNode;
}) => (
  <li>
    <details>
      <summary className="cursor-pointer px-4 py-3 marker:text-muted hover:bg-raised">
        <span className="inline-flex max-w-[calc(100%-1.5rem)] flex-wrap items-center gap-2 pl-1 align-top">
          <span className="font-medium">{title}</span>
          <Pill tone={severityTones[severity]}>{severityWords[severity]}</Pill>
          {settings.enabled ? null : <Pill tone="plain">Off</Pill>}
        </span>
      </summary>
      <div className="flex flex-col gap-2 px-4 pb-4">{children}</div>
    </details>
  </li>
);
